package io.holdfast.jdbc;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sockets for the connections that ask PostgreSQL. They are public because the driver makes this object by the name of its
 * class; nobody else has a use for it.
 *
 * <p>The answer to a short statement is there before a thread that went to sleep for it would be awake again. So a reader
 * looks for it again and again, for 100 µs at most, before it sleeps; but only while it is the only one in this JVM who waits
 * for an answer, and only where another core is left for whoever has to answer (ADR 31). Not on a connection that had a rest:
 * the process at its other end has to wake up first, and a core that is kept busy here cannot help with that (ADR 32).
 */
public final class AttentiveSockets extends OwnSockets {
    private static final long LOOK_NANOS = 100_000;
    private static final long REST_NANOS = 1_000_000;
    private static final boolean SPARE_CORE = Runtime.getRuntime().availableProcessors() > 1;
    private static final AtomicInteger READERS = new AtomicInteger();

    /** For PostgreSQL's driver. */
    public AttentiveSockets() {}

    @Override
    Socket fresh() {
        return new AttentiveSocket();
    }

    private static final class AttentiveSocket extends Socket {
        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                private long readAt = System.nanoTime();

                @Override
                public int read() throws IOException {
                    look();
                    try {
                        return in.read();
                    } finally {
                        done();
                    }
                }

                @Override
                public int read(byte[] into, int from, int length) throws IOException {
                    look();
                    try {
                        return in.read(into, from, length);
                    } finally {
                        done();
                    }
                }

                private void done() {
                    READERS.decrementAndGet();
                    readAt = System.nanoTime();
                }

                /** Counts a reader, who then reads. What is wrong with the socket, the read will say. */
                private void look() {
                    long now = System.nanoTime();
                    if (READERS.incrementAndGet() > 1 || !SPARE_CORE || now - readAt > REST_NANOS) {
                        return;
                    }
                    long until = now + LOOK_NANOS;
                    try {
                        while (in.available() == 0 && READERS.get() == 1 && System.nanoTime() - until < 0) {
                            Thread.onSpinWait();
                        }
                    } catch (IOException closed) {
                        return;
                    }
                }
            };
        }
    }
}
