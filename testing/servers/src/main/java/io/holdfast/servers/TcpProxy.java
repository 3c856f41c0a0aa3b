package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A proxy on 127.0.0.1 before a server, which loses, holds and delays what a network loses, holds and delays; each
 * direction by itself.
 *
 * <p>One thread moves all bytes and carries out all verbs. A verb has therefore happened when it returns: after {@code
 * replies().drop()} not one byte of a reply passes, and none is half way. What the server has read before is another
 * matter: "request sent" is not "request swallowed", and a test that needs to know looks at {@link Direction#bytes()}
 * and {@link Direction#dropped()}.
 *
 * <ul>
 *   <li><b>cut</b>: nothing passes and nothing is lost, not even the end of a connection; {@code restore} delivers it, as
 *       TCP does after a partition that was shorter than its patience.
 *   <li><b>drop</b>: what arrives is swallowed: the request or the reply that is lost. A stream with a gap cannot go on,
 *       so {@code restore} resets the connections that lost something.
 *   <li><b>delay</b>: every byte arrives so much later; later bytes do not wait for earlier ones' delay. <b>delaySome</b>
 *       does it to a share of the messages, and what follows on the same connection then waits behind them.
 * </ul>
 *
 * <p>Limit: while the network is cut, new connections are still accepted here (a real SYN would get no answer); they
 * are as silent as the others. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {
    private final int target;
    private final int port;
    private final Selector selector;
    private final Thread thread;
    private final Queue<Runnable> verbs = new ConcurrentLinkedQueue<>();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicLong accepted = new AtomicLong();
    private final Direction requests = new Direction(this);
    private final Direction replies = new Direction(this);
    private @Nullable ServerSocketChannel listener;
    private IntPredicate unwelcome = clientPort -> false;
    private volatile boolean closed;
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

    private TcpProxy(int target) throws IOException {
        this.target = target;
        selector = Selector.open();
        port = listenAnywhere();
        thread = new Thread(this::run, "holdfast-proxy-" + port + "-to-" + target);
        thread.setDaemon(true);
    }

    /** A proxy before this port of 127.0.0.1. The server need not run yet. */
    public static TcpProxy to(int port) {
        try {
            TcpProxy proxy = new TcpProxy(port);
            proxy.thread.start();
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException("no proxy to port " + port, e);
        }
    }

    /** A proxy before the first port of this server. */
    public static TcpProxy to(ServerProcess server) {
        return to(server.port());
    }

    /** Where clients connect. */
    public int port() {
        return port;
    }

    /** From client to server. */
    public Direction requests() {
        return requests;
    }

    /** From server to client. */
    public Direction replies() {
        return replies;
    }

    /** Cuts both directions. */
    public void cut() {
        perform(() -> {
            requests.set(Direction.Flow.CUT);
            replies.set(Direction.Flow.CUT);
        });
    }

    /** Opens both directions, without delay, and accepts connections. */
    public void restore() {
        perform(() -> {
            listen();
            requests.noDelay();
            replies.noDelay();
            requests.set(Direction.Flow.OPEN);
            replies.set(Direction.Flow.OPEN);
        });
    }

    /** Resets all connections, towards the client and towards the server. New ones are welcome. */
    public void closeConnections() {
        perform(() -> connections.forEach(ProxiedConnection::reset));
    }

    /** Refuses new connections: nobody listens on the port. Those that are open stay. */
    public void refuseConnections() {
        perform(this::stopListening);
    }

    /** Listens again. */
    public void acceptConnections() {
        perform(this::listen);
    }

    /**
     * Resets the connections whose client's port passes this test, those that are open and those that come, until it is
     * called again. For a server that some clients reach and others do not.
     */
    public void resetFrom(IntPredicate clientPort) {
        perform(() -> {
            unwelcome = clientPort;
            connections.stream()
                    .filter(connection -> clientPort.test(connection.clientPort()))
                    .forEach(ProxiedConnection::reset);
        });
    }

    /** How many connections are open. */
    public int connections() {
        settle();
        return connections.size();
    }

    /** How many connections were ever accepted. */
    public long accepted() {
        settle();
        return accepted.get();
    }

    /** Resets all connections and frees the port. Idempotent. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        ended.join();
    }

    /** Runs a verb on the proxy's thread and waits until it has happened. */
    void perform(Runnable verb) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        verbs.add(() -> {
            try {
                verb.run();
                done.complete(true);
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        selector.wakeup();
        CompletableFuture.anyOf(done, ended).join();
        if (!done.isDone()) {
            throw new IllegalStateException("the proxy on port " + port + " is closed");
        }
    }

    /** Waits until the move that is under way is done and counted. */
    void settle() {
        CompletableFuture<Boolean> settled = new CompletableFuture<>();
        verbs.add(() -> settled.complete(true));
        selector.wakeup();
        CompletableFuture.anyOf(settled, ended).join();
    }

    /** On the proxy's thread: a stream with a gap cannot go on. */
    void resetGaps(Direction direction) {
        connections.stream()
                .filter(connection -> connection.lostBytes(direction))
                .forEach(ProxiedConnection::reset);
    }

    void forget(ProxiedConnection connection) {
        connections.remove(connection);
    }

    private void run() {
        try {
            while (!closed) {
                select();
                for (Runnable verb = verbs.poll(); verb != null; verb = verbs.poll()) {
                    verb.run();
                }
                acceptPending();
                connections.forEach(ProxiedConnection::step);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy on port " + port + " failed", e);
        } finally {
            connections.forEach(ProxiedConnection::reset);
            freePort();
            ended.complete(true);
        }
    }

    private void select() throws IOException {
        long nanos = Long.MAX_VALUE;
        for (ProxiedConnection connection : connections) {
            nanos = Math.min(nanos, connection.nanosToNextDelivery());
        }
        if (nanos == Long.MAX_VALUE) {
            selector.select();
        } else if (nanos <= 0) {
            selector.selectNow();
        } else {
            selector.select(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
        }
        selector.selectedKeys().clear();
    }

    private void acceptPending() throws IOException {
        ServerSocketChannel open = listener;
        SocketChannel client = open == null ? null : open.accept();
        while (open != null && client != null) {
            accepted.incrementAndGet();
            ProxiedConnection connection = ProxiedConnection.open(
                    this, selector, client, new InetSocketAddress(LoopbackPorts.address(), target));
            if (unwelcome.test(connection.clientPort())) {
                connection.reset();
            } else {
                connections.add(connection);
            }
            client = open.accept();
        }
    }

    private int listenAnywhere() throws IOException {
        for (int i = 1; ; i++) {
            int drawn = LoopbackPorts.free();
            try {
                bind(drawn);
                return drawn;
            } catch (IOException e) {
                if (i == 10) {
                    throw e;
                }
            }
        }
    }

    private void listen() {
        if (listener != null) {
            return;
        }
        try {
            bind(port);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on port " + port + " again", e);
        }
    }

    private void bind(int at) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(new InetSocketAddress(LoopbackPorts.address(), at), 1024);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_ACCEPT);
            listener = channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private void stopListening() {
        ServerSocketChannel open = listener;
        listener = null;
        if (open != null) {
            try {
                open.close();
                // The kernel frees the port only when the selector has let go of the channel.
                selector.selectNow();
                selector.selectedKeys().clear();
            } catch (IOException | CancelledKeyException e) {
                throw new IllegalStateException("cannot stop listening on port " + port, e);
            }
        }
    }

    private void freePort() {
        stopListening();
        try {
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
