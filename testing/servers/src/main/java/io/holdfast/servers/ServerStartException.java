package io.holdfast.servers;

import org.jspecify.annotations.Nullable;

/** A server did not start or did not become ready. The message holds the command and the end of the server's log. */
public final class ServerStartException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ServerStartException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
