package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A client's connection to the proxy and the proxy's connection to the server. Only the proxy's thread comes here. */
final class ProxiedConnection {
    private final TcpProxy proxy;
    private final SocketChannel client;
    private final int clientPort;
    private final SocketChannel server;
    private final SelectionKey clientKey;
    private final SelectionKey serverKey;
    private final ByteStream requests;
    private final ByteStream replies;
    private boolean connected;
    private boolean over;

    private ProxiedConnection(TcpProxy proxy, Selector selector, SocketChannel client, SocketChannel server)
            throws IOException {
        this.proxy = proxy;
        this.client = client;
        this.clientPort = client.socket().getPort();
        this.server = server;
        this.clientKey = client.register(selector, 0);
        this.serverKey = server.register(selector, SelectionKey.OP_CONNECT);
        this.requests = new ByteStream(proxy.requests(), client, server);
        this.replies = new ByteStream(proxy.replies(), server, client);
    }

    static ProxiedConnection open(TcpProxy proxy, Selector selector, SocketChannel client, InetSocketAddress target)
            throws IOException {
        SocketChannel server = SocketChannel.open();
        for (SocketChannel channel : new SocketChannel[] {client, server}) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        ProxiedConnection connection = new ProxiedConnection(proxy, selector, client, server);
        try {
            connection.connected = server.connect(target);
        } catch (IOException refused) {
            connection.reset();
        }
        return connection;
    }

    /** From where the client dialled. */
    int clientPort() {
        return clientPort;
    }

    boolean lostBytes(Direction direction) {
        return direction == proxy.requests() ? requests.hasGap() : replies.hasGap();
    }

    long nanosToNextDelivery() {
        return connected && !over
                ? Math.min(requests.nanosToNextDelivery(), replies.nanosToNextDelivery())
                : Long.MAX_VALUE;
    }

    /** Moves what can be moved. */
    void step() {
        if (over) {
            proxy.forget(this);
            return;
        }
        try {
            if (!connected && !server.finishConnect()) {
                return;
            }
            connected = true;
            requests.step();
            replies.step();
            if (requests.isReset() || replies.isReset()) {
                reset();
            } else if (requests.isFinished() && replies.isFinished()) {
                close();
            } else {
                clientKey.interestOps(requests.readInterest() | replies.writeInterest());
                serverKey.interestOps(replies.readInterest() | requests.writeInterest());
            }
        } catch (IOException brokenOrRefused) {
            // What a peer sees of it is a reset, as it would be without a proxy.
            reset();
        }
    }

    /** Ends both sides with a reset instead of an orderly end. */
    void reset() {
        try {
            for (SocketChannel channel : new SocketChannel[] {client, server}) {
                if (channel.isOpen()) {
                    channel.setOption(StandardSocketOptions.SO_LINGER, 0);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            close();
        }
    }

    private void close() {
        over = true;
        proxy.forget(this);
        try (client;
                server) {
            clientKey.cancel();
            serverKey.cancel();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
