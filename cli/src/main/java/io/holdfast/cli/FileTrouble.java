package io.holdfast.cli;

import java.nio.file.FileSystemException;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells a store file that cannot be used as it is (missing rights, read-only, a full disk, not a database) from one that
 * is only busy: the first is input to be put right and exits with {@link ExitCode#USAGE}, the second may pass.
 */
final class FileTrouble {
    /** SQLite's result codes for: no permission, read-only, corrupt, disk full, cannot open, not authorised, no database. */
    private static final Set<Integer> LASTING = Set.of(3, 8, 11, 13, 14, 23, 26);

    private static final int PRIMARY_CODE = 0xff;

    private FileTrouble() {}

    static boolean in(Throwable error) {
        for (@Nullable Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof FileSystemException
                    || (cause instanceof SQLException sql && LASTING.contains(sql.getErrorCode() & PRIMARY_CODE))) {
                return true;
            }
        }
        return false;
    }
}
