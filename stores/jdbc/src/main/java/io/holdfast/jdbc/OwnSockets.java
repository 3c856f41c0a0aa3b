package io.holdfast.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** Sockets of our own for PostgreSQL's driver, which makes the factory by the name of its class. */
abstract class OwnSockets extends SocketFactory {
    /** One that is not connected. */
    abstract Socket fresh();

    @Override
    public Socket createSocket() {
        return fresh();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
        return createSocket(InetAddress.getByName(host), port, from, fromPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
        Socket socket = fresh();
        socket.bind(new InetSocketAddress(from, fromPort));
        socket.connect(new InetSocketAddress(host, port));
        return socket;
    }

    private Socket connected(InetSocketAddress address) throws IOException {
        Socket socket = fresh();
        socket.connect(address);
        return socket;
    }
}
