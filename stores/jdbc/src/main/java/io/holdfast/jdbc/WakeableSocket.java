package io.holdfast.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A socket whose reader can be told to come back, and need not be waited for.
 *
 * <ul>
 *   <li>A reader that <em>listens</em>, and has set a timeout, comes back with the exception of a timeout when it is woken
 *       or interrupted. Any other reader does not notice either; its interrupt is kept.
 *   <li>A read with a timeout of one millisecond is a look: it does not wait. After each notification PostgreSQL's driver
 *       looks so whether another one follows, before it hands out the first, and a hand-off would spend most of its time
 *       there. What comes later, the next look finds.
 * </ul>
 *
 * <p>One thread reads at a time.
 */
final class WakeableSocket extends Socket {
    private static final int A_LOOK_MILLIS = 1;
    private static final long WRITE_MILLIS = 100;

    private final Channel channel;

    WakeableSocket() throws SocketException {
        this(new Channel());
    }

    private WakeableSocket(Channel channel) throws SocketException {
        super(channel);
        this.channel = channel;
    }

    /** Called by the reader: whether its next reads may be ended by {@link #wake} and by an interrupt. */
    void listens(boolean value) {
        channel.listens = value;
    }

    /** Brings back a reader that listens, or the next one who does. */
    void wake() {
        channel.woken = true;
        Selector sleeping = channel.selector;
        if (sleeping != null) {
            sleeping.wakeup();
        }
    }

    /**
     * Whether PostgreSQL's protocol is spoken in the clear. Beneath an encryption a reader that comes back might leave half
     * a record.
     */
    boolean isPlain() {
        return channel.plain;
    }

    /** What the socket is made of. */
    private static final class Channel extends SocketImpl {
        private static final Map<Integer, SocketOption<?>> OPTIONS = Map.of(
                SocketOptions.TCP_NODELAY, StandardSocketOptions.TCP_NODELAY,
                SocketOptions.SO_KEEPALIVE, StandardSocketOptions.SO_KEEPALIVE,
                SocketOptions.SO_RCVBUF, StandardSocketOptions.SO_RCVBUF,
                SocketOptions.SO_SNDBUF, StandardSocketOptions.SO_SNDBUF,
                SocketOptions.SO_REUSEADDR, StandardSocketOptions.SO_REUSEADDR);

        private @Nullable SocketChannel open;
        private volatile @Nullable Selector selector;
        private volatile int timeout;
        private volatile boolean woken;
        private volatile boolean plain;
        private boolean listens;

        @Override
        protected void create(boolean stream) throws IOException {
            open = SocketChannel.open();
        }

        private SocketChannel channel() throws SocketException {
            SocketChannel known = open;
            if (known == null) {
                throw new SocketException("the socket is not open");
            }
            return known;
        }

        @Override
        protected void connect(String host, int port) throws IOException {
            connect(new InetSocketAddress(host, port), 0);
        }

        @Override
        protected void connect(InetAddress host, int port) throws IOException {
            connect(new InetSocketAddress(host, port), 0);
        }

        @Override
        protected void connect(SocketAddress to, int millis) throws IOException {
            SocketChannel connecting = channel();
            connecting.socket().connect(to, millis);
            address = connecting.socket().getInetAddress();
            port = connecting.socket().getPort();
            localport = connecting.socket().getLocalPort();
            connecting.configureBlocking(false);
            Selector reading = Selector.open();
            connecting.register(reading, SelectionKey.OP_READ);
            selector = reading;
        }

        @Override
        protected void bind(InetAddress host, int at) throws IOException {
            channel().bind(new InetSocketAddress(host, at));
        }

        @Override
        protected void listen(int backlog) throws IOException {
            throw new SocketException("this socket connects");
        }

        @Override
        protected void accept(SocketImpl other) throws IOException {
            throw new SocketException("this socket connects");
        }

        @Override
        protected InputStream getInputStream() {
            return new InputStream() {
                @Override
                public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
                }

                @Override
                public int read(byte[] into, int from, int length) throws IOException {
                    return length == 0 ? 0 : Channel.this.read(ByteBuffer.wrap(into, from, length));
                }

                @Override
                public void close() throws IOException {
                    Channel.this.close();
                }
            };
        }

        private int read(ByteBuffer into) throws IOException {
            SocketChannel from = channel();
            int got = from.read(into);
            if (got != 0) {
                return got;
            }
            boolean interrupted = false;
            long begun = System.nanoTime();
            try {
                while (got == 0) {
                    interrupted |= Thread.interrupted();
                    sleep(begun, interrupted);
                    got = from.read(into);
                }
                return got;
            } catch (ClosedSelectorException e) {
                throw because("the socket was closed", e);
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        /** Until something may have arrived. */
        private void sleep(long begun, boolean interrupted) throws IOException {
            Selector sleeping = selector;
            if (sleeping == null) {
                throw new SocketException("the socket is not connected");
            }
            int limit = timeout;
            if (limit == 0) {
                sleeping.select(key -> {});
                return;
            }
            if (listens && (woken || interrupted)) {
                woken = false;
                throw new SocketTimeoutException("woken");
            }
            long left = limit - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            if (limit == A_LOOK_MILLIS || left <= 0) {
                throw new SocketTimeoutException("nothing has arrived within " + limit + " ms");
            }
            sleeping.select(key -> {}, left);
        }

        @Override
        protected OutputStream getOutputStream() {
            return new OutputStream() {
                @Override
                public void write(int value) throws IOException {
                    write(new byte[] {(byte) value}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    plain |= beginsInTheClear(bytes, from, length);
                    Channel.this.write(ByteBuffer.wrap(bytes, from, length));
                }

                @Override
                public void close() throws IOException {
                    Channel.this.close();
                }
            };
        }

        /** The first message of PostgreSQL's protocol, version 3: its length, 0x0003, and the minor version. */
        private static boolean beginsInTheClear(byte[] bytes, int from, int length) {
            return length > 8 && bytes[from] == 0 && bytes[from + 4] == 0 && bytes[from + 5] == 3;
        }

        private void write(ByteBuffer bytes) throws IOException {
            SocketChannel to = channel();
            while (bytes.hasRemaining()) {
                if (to.write(bytes) == 0) {
                    try (Selector writing = Selector.open()) {
                        to.register(writing, SelectionKey.OP_WRITE);
                        writing.select(key -> {}, WRITE_MILLIS);
                    }
                }
            }
        }

        @Override
        protected int available() {
            return 0;
        }

        @Override
        protected void close() throws IOException {
            SocketChannel closing = open;
            Selector sleeping = selector;
            if (closing != null) {
                closing.close();
            }
            if (sleeping != null) {
                sleeping.close();
            }
        }

        @Override
        protected void shutdownInput() throws IOException {
            channel().shutdownInput();
        }

        @Override
        protected void shutdownOutput() throws IOException {
            channel().shutdownOutput();
        }

        @Override
        protected void sendUrgentData(int data) throws IOException {
            throw new SocketException("no urgent data");
        }

        @Override
        public void setOption(int which, Object value) throws SocketException {
            if (which == SocketOptions.SO_TIMEOUT) {
                timeout = (Integer) value;
                return;
            }
            try {
                set(OPTIONS.get(which), value);
            } catch (IOException e) {
                throw because("option " + which + " was not set", e);
            }
        }

        @SuppressWarnings("unchecked") // Both ways to name an option have the same types.
        private <T> void set(@Nullable SocketOption<T> option, Object value) throws IOException {
            if (option != null) {
                channel().setOption(option, (T) value);
            }
        }

        @Override
        public Object getOption(int which) throws SocketException {
            if (which == SocketOptions.SO_TIMEOUT) {
                return timeout;
            }
            try {
                if (which == SocketOptions.SO_BINDADDR) {
                    return channel().socket().getLocalAddress();
                }
                SocketOption<?> option = OPTIONS.get(which);
                if (option != null) {
                    return channel().getOption(option);
                }
            } catch (IOException e) {
                throw because("option " + which + " is not known", e);
            }
            throw new SocketException("option " + which + " is not known");
        }

        private static SocketException because(String what, Exception cause) {
            SocketException failure = new SocketException(what);
            failure.initCause(cause);
            return failure;
        }
    }
}
