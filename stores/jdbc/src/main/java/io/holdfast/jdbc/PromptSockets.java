package io.holdfast.jdbc;

import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link WakeableSocket} for the connection that listens to PostgreSQL. Public because the driver makes this object
 * by the name of its class; nobody else has a use for it. The driver does not tell which socket a connection has, so each is
 * asked for under a name of its own.
 */
public final class PromptSockets extends OwnSockets {
    private static final Map<String, WakeableSocket> MADE = new ConcurrentHashMap<>();

    private final @Nullable String name;

    /** For PostgreSQL's driver, with the text that the connection was asked for with. */
    public PromptSockets(@Nullable String name) {
        this.name = name;
    }

    /** A name for the next connection's socket. */
    static String freshName() {
        return UUID.randomUUID().toString();
    }

    /** The last socket that was made under this name, once. */
    static @Nullable WakeableSocket take(String name) {
        return MADE.remove(name);
    }

    @Override
    Socket fresh() {
        try {
            WakeableSocket socket = new WakeableSocket();
            if (name != null) {
                MADE.put(name, socket);
            }
            return socket;
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }
}
