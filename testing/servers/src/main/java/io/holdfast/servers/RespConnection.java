package io.holdfast.servers;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection that speaks Redis's protocol (RESP2), so that tests can ask a server without a driver in between: no
 * pool, no replay, no reconnect. One thread at a time. After an exception other than {@link ErrorReply} the connection
 * is out of step and only good for closing.
 */
public final class RespConnection implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    private RespConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Connects to a port of 127.0.0.1; connecting and each reply may take at most {@code timeout}. */
    public static RespConnection to(int port, Duration timeout) throws IOException {
        int millis = Math.toIntExact(timeout.toMillis());
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(LoopbackPorts.address(), port), millis);
            socket.setSoTimeout(millis);
            socket.setTcpNoDelay(true);
            return new RespConnection(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** From now on each reply may take at most {@code timeout}. */
    public void timeout(Duration timeout) throws IOException {
        socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
    }

    /**
     * Sends one command and waits for its reply: a {@link String}, a {@link Long}, a list of such, or null.
     *
     * @throws ErrorReply if the server answered with an error
     * @throws java.net.SocketTimeoutException if it did not answer in time
     */
    public @Nullable Object call(String... command) throws IOException {
        send(command);
        return read();
    }

    /** Sends one command and does not wait for the reply. */
    public void send(String... command) throws IOException {
        StringBuilder text = new StringBuilder("*").append(command.length).append("\r\n");
        for (String word : command) {
            text.append('$')
                    .append(word.getBytes(StandardCharsets.UTF_8).length)
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        socket.getOutputStream().write(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Reads the next reply. */
    public @Nullable Object read() throws IOException {
        String line = readLine();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case '-' -> throw new ErrorReply(rest);
            case ':' -> Long.parseLong(rest);
            case '$' -> readBulk(Integer.parseInt(rest));
            case '*' -> readArray(Integer.parseInt(rest));
            default -> throw new IOException("not a RESP2 reply: " + line);
        };
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** The server answered with an error; the connection can be used on. */
    public static final class ErrorReply extends IOException {
        private static final long serialVersionUID = 1;

        ErrorReply(String message) {
            super(message);
        }
    }

    private @Nullable String readBulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException("the server closed the connection within a reply");
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> readArray(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> items = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            items.add(read());
        }
        return items;
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        while (next >= 0 && next != '\n') {
            if (next != '\r') {
                line.append((char) next);
            }
            next = in.read();
        }
        if (next < 0 || line.isEmpty()) {
            throw new EOFException("the server closed the connection");
        }
        return line.toString();
    }
}
