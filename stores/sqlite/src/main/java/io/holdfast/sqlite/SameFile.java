package io.holdfast.sqlite;

import io.holdfast.StoreUnavailableException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Notices, at most {@link #EVERY} late, that the lock file was deleted or replaced while it is in use. SQLite would go
 * on with the old one, which new processes do not see: both sides would be granted the same locks.
 */
final class SameFile implements Runnable {
    static final Duration EVERY = Duration.ofMillis(250);

    private final Path file;
    private volatile @Nullable Object identity;
    private final MachineClock clock;
    private final AtomicLong checked;

    SameFile(Path file, MachineClock clock) {
        this.file = file;
        this.clock = clock;
        this.checked = new AtomicLong(clock.nanos());
    }

    /** From now on it must stay the file that it is. Opening a file for writing may make it another (overlayfs). */
    void remember() {
        identity = found();
    }

    @Override
    public void run() {
        long now = clock.nanos();
        long last = checked.get();
        if (now - last < EVERY.toNanos() || !checked.compareAndSet(last, now)) {
            return;
        }
        boolean same = false;
        try {
            same = found().equals(identity);
        } finally {
            if (!same) {
                checked.set(last);
            }
        }
        if (!same) {
            throw replaced("replaced", null);
        }
    }

    private Object found() {
        try {
            return SqliteFiles.identity(file);
        } catch (UncheckedIOException e) {
            throw replaced("deleted", e);
        }
    }

    private StoreUnavailableException replaced(String how, @Nullable Exception cause) {
        return new StoreUnavailableException(
                "the lock file " + file + " was " + how + " while in use: its locks protect nothing any more; open the"
                        + " store again",
                false,
                cause);
    }
}
