package io.holdfast.cli.store;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Random numbers straight from the kernel, which is where {@code SecureRandom} has its seed from. A command needs a
 * handful of them, and the security framework loads many classes for that. Thread-safe.
 */
public final class KernelRandom implements RandomGenerator {
    private static final String SOURCE = "/dev/urandom";

    private final InputStream source;

    private KernelRandom(InputStream source) {
        this.source = source;
    }

    /** Empty on a system without it. */
    public static Optional<RandomGenerator> open() {
        try {
            return Optional.of(new KernelRandom(new FileInputStream(SOURCE)));
        } catch (FileNotFoundException e) {
            return Optional.empty();
        }
    }

    @Override
    public synchronized long nextLong() {
        try {
            byte[] bytes = source.readNBytes(Long.BYTES);
            if (bytes.length < Long.BYTES) {
                throw new IOException(SOURCE + " ended");
            }
            return ByteBuffer.wrap(bytes).getLong();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
