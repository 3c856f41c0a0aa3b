package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibraries;
import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.LockClient;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Locks over a folder: one that works, and two that do not. The URL is the folder. Also used by child processes. */
public final class BrokenLibraries implements LockLibraries {
    /** Excludes, with tokens that grow. The machine's clock is the same for all of its processes. */
    static final LockLibrary SOUND = LockLibrary.peer("sound", (url, ttl) -> client(url, System::nanoTime));

    /** Lets every caller in. */
    static final LockLibrary GRANTS_TWICE = LockLibrary.peer(
            "grants twice",
            (url, ttl) ->
                    LockClient.of(name -> LockClient.Handle.of(System::nanoTime, () -> {}, () -> true), () -> {}));

    /** Excludes, but hands out ever smaller tokens. */
    static final LockLibrary TOKEN_GOES_BACK =
            LockLibrary.peer("token goes back", (url, ttl) -> client(url, () -> Long.MAX_VALUE - System.nanoTime()));

    private static final Map<Path, ReentrantLock> LOCAL = new ConcurrentHashMap<>();

    @Override
    public List<LockLibrary> all() {
        return List.of(SOUND, GRANTS_TWICE, TOKEN_GOES_BACK);
    }

    private static LockClient client(String folder, LongSupplier tokens) {
        return LockClient.of(name -> new FileHandle(Path.of(folder, name), tokens), () -> {});
    }

    /** A lock between the threads of a process, and within it one between processes, which ends with them. */
    private static final class FileHandle implements LockClient.Handle {
        private final Path file;
        private final LongSupplier tokens;
        private final ReentrantLock local;
        private @Nullable FileChannel channel;
        private @Nullable FileLock lock;

        FileHandle(Path file, LongSupplier tokens) {
            this.file = file;
            this.tokens = tokens;
            this.local = LOCAL.computeIfAbsent(file, key -> new ReentrantLock(true));
        }

        @Override
        public long lock() throws IOException {
            local.lock();
            FileChannel opened = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            channel = opened;
            lock = opened.lock();
            return tokens.getAsLong();
        }

        @Override
        public void unlock() throws IOException {
            try {
                Objects.requireNonNull(lock).release();
                Objects.requireNonNull(channel).close();
            } finally {
                local.unlock();
            }
        }

        @Override
        public boolean isHeld() {
            return Objects.requireNonNull(lock).isValid();
        }
    }
}
