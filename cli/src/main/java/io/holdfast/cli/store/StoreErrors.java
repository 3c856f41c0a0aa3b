package io.holdfast.cli.store;

import io.holdfast.StoreUnavailableException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Translates an error of a client library into one sentence, and says whether the input caused it. */
public final class StoreErrors {
    /** What a library says, what that means, and whether another URL would help rather than time. */
    private record Known(String said, String means, boolean input) {}

    private static final List<Known> KNOWN = List.of(
            new Known("NOAUTH", "it wants a password: write redis://:PASSWORD@host, best in HOLDFAST_STORE", true),
            new Known("WRONGPASS", "it refuses this user or password", true),
            new Known("invalid password", "it refuses this user or password", true),
            new Known("password authentication failed", "it refuses this user or password", true),
            new Known("no password was provided", "it wants a password: write ?user=…&password=…", true),
            new Known("Access denied for user", "it refuses this user or password", true),
            new Known("Invalid first byte", "what answers there is not a Redis server; check host and port", true),
            new Known("not an SSL/TLS record", "it does not speak TLS: leave the second s of the scheme out", true),
            new Known("UnknownHost", "there is no such host", false),
            new Known("Connection refused", "the connection was refused; is the server running on this port?", false),
            new Known("No route to host", "there is no route to that host", false),
            new Known(
                    "initialization timed out",
                    "it did not answer in time; is it this kind of server, and TLS?",
                    false));

    private static final String BEFORE_DETAIL = "cannot be reached";
    private static final int MOST_CAUSES = 20;

    private StoreErrors() {}

    /** Whether the input has to be put right. */
    public static boolean isInput(StoreUnavailableException error) {
        return StoreFileErrors.in(error) || known(error).filter(Known::input).isPresent();
    }

    /** What to tell people. */
    public static @Nullable String message(StoreUnavailableException error) {
        @Nullable String message = error.getMessage();
        Optional<Known> known = known(error);
        if (message == null || known.isEmpty()) {
            return message;
        }
        int detail = message.indexOf(BEFORE_DETAIL);
        return detail < 0
                ? message + ": " + known.get().means()
                : message.substring(0, detail) + "cannot be used: "
                        + known.get().means();
    }

    private static Optional<Known> known(Throwable error) {
        @Nullable Throwable cause = error;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
            String text = cause.toString();
            for (Known known : KNOWN) {
                if (text.contains(known.said())) {
                    return Optional.of(known);
                }
            }
            cause = cause.getCause();
        }
        return Optional.empty();
    }
}
