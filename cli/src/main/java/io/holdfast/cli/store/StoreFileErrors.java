package io.holdfast.cli.store;

import io.holdfast.cli.input.ExitCode;
import java.nio.file.FileSystemException;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells a store file that cannot be used (missing rights, read-only, a full disk, not a database) from one that is only
 * busy. The first is wrong input and exits with {@link ExitCode#USAGE}; the second may pass.
 */
public final class StoreFileErrors {
    /** SQLite's result codes for: no permission, read-only, corrupt, disk full, cannot open, not authorised, no database. */
    private static final Set<Integer> LASTING = Set.of(3, 8, 11, 13, 14, 23, 26);

    private static final int PRIMARY_CODE = 0xff;

    private StoreFileErrors() {}

    public static boolean in(Throwable error) {
        for (@Nullable Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof FileSystemException
                    || (cause instanceof SQLException sql && LASTING.contains(sql.getErrorCode() & PRIMARY_CODE))) {
                return true;
            }
        }
        return false;
    }
}
