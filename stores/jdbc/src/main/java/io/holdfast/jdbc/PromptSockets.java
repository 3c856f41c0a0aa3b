package io.holdfast.jdbc;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/**
 * Sockets for the connection that listens to PostgreSQL. They are public because the driver makes this object by the
 * name of its class; nobody else has a use for it.
 *
 * <p>After each notification the driver looks whether another one follows, with a read that waits one millisecond for
 * it, before it hands out the first. A hand-off would spend most of its time there. These sockets answer such a read
 * at once if nothing has arrived; a notification that comes later is found by the next look.
 */
public final class PromptSockets extends OwnSockets {
    private static final int A_LOOK_MILLIS = 1;

    /** For PostgreSQL's driver. */
    public PromptSockets() {}

    @Override
    Socket fresh() {
        return new PromptSocket();
    }

    private static final class PromptSocket extends Socket {
        private volatile int timeout;

        @Override
        public synchronized void setSoTimeout(int millis) throws SocketException {
            super.setSoTimeout(millis);
            timeout = millis;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    look();
                    return in.read();
                }

                @Override
                public int read(byte[] into, int from, int length) throws IOException {
                    look();
                    return in.read(into, from, length);
                }

                private void look() throws IOException {
                    if (timeout == A_LOOK_MILLIS && in.available() == 0) {
                        throw new SocketTimeoutException("nothing has arrived");
                    }
                }
            };
        }
    }
}
