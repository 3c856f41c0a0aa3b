package io.holdfast.redis.wire;

import io.holdfast.StoreUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.RedisProtocolException;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What went wrong, in the words of the contract: whether the request may have taken effect all the same. */
final class Failures {
    /** Error replies that a server gives before it executes anything. */
    private static final String[] BEFORE_EXECUTION = {
        "READONLY",
        "LOADING",
        "MASTERDOWN",
        "CLUSTERDOWN",
        "TRYAGAIN",
        "NOAUTH",
        "WRONGPASS",
        "BUSY ",
        "NOSCRIPT",
        "MISCONF",
        "NOREPLICAS"
    };

    private static final int MOST_CAUSES = 20;

    /** Servers say the same of a wrong password and of a missing user. */
    private static final String WRONG_LOGIN = " refuses this user or password: check the login in the URL";

    /** What a driver or server says of a connection, what that means, and whether another URL helps rather than time. */
    private record Known(String said, String means, boolean input) {}

    private static final Known[] KNOWN = {
        new Known("NOAUTH", " needs a password: write redis://user:password@host or redis://:password@host", true),
        new Known("WRONGPASS", WRONG_LOGIN, true),
        new Known("invalid password", WRONG_LOGIN, true),
        new Known(
                "without any password configured",
                " has no password, but the URL gives one: remove it, or set one on the server",
                true),
        new Known("NOPERM", " refuses this user: its ACL needs the commands and keys in docs/stores/redis.md", true),
        new Known("Invalid first byte", " is not a Redis server: check host and port", true),
        new Known("not an SSL/TLS record", " does not speak TLS: write redis:// instead of rediss://", true),
        new Known("UnknownHost", " cannot be reached: there is no such host", false),
        new Known(
                "Connection refused", " cannot be reached: the connection was refused; is Redis running there?", false),
        new Known("No route to host", " cannot be reached: there is no route to that host", false),
        new Known(
                "initialization timed out",
                " cannot be reached: it did not answer in time; is it a Redis server, and does it speak TLS?",
                false),
    };

    private Failures() {}

    static StoreUnavailableException of(String where, Throwable failure) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof StoreUnavailableException known) {
            return known;
        }
        String reason = String.valueOf(cause.getMessage());
        if (cause instanceof RedisCommandExecutionException) {
            return new StoreUnavailableException(
                    where + " refused: " + reason + advice(reason), !beforeExecution(reason), cause);
        }
        return new StoreUnavailableException(
                where + " cannot be reached: " + reason, !reason.contains("Commands are rejected"), cause);
    }

    /** What kept a connection from being opened; what only another address or login can change is an argument error. */
    static RuntimeException connecting(String where, Throwable failure) {
        if (failure instanceof StoreUnavailableException || failure instanceof IllegalArgumentException) {
            return (RuntimeException) failure;
        }
        Throwable cause = failure;
        for (int i = 0; i < MOST_CAUSES; i++) {
            String said = String.valueOf(cause);
            for (Known known : KNOWN) {
                if (said.contains(known.said)) {
                    String text = where + known.means;
                    return known.input
                            ? new IllegalArgumentException(text, failure)
                            : new StoreUnavailableException(text, false, failure);
                }
            }
            Throwable next = cause.getCause();
            if (next == null) {
                break;
            }
            cause = next;
        }
        return new StoreUnavailableException(
                where + " cannot be reached: "
                        + (cause instanceof TimeoutException
                                ? "it did not answer in time; check host, port and TLS"
                                : String.valueOf(cause.getMessage())),
                false,
                failure);
    }

    static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Whether the server is not, or no longer, the primary: another connection may find it. */
    static boolean notThePrimary(@Nullable Throwable failure) {
        return replied(failure, "READONLY") || replied(failure, "MASTERDOWN");
    }

    /**
     * Whether the answers of a connection may be out of step after this failure of a command (U29). What the server
     * answered is not such a failure. The connection to a cluster is many connections, and one that broke or is not
     * open yet says nothing about the others.
     */
    static boolean outOfStep(Throwable failure, boolean sharded) {
        if (failure instanceof RedisCommandExecutionException) {
            return false;
        }
        boolean connection = failure instanceof RedisException
                || failure instanceof IOException
                || failure instanceof CancellationException;
        return !(sharded && connection && !(failure instanceof RedisProtocolException));
    }

    /** Whether keys are on the move between nodes (U25): worth trying again at once. */
    static boolean tryAgain(@Nullable Throwable failure) {
        return replied(failure, "TRYAGAIN");
    }

    private static boolean replied(@Nullable Throwable failure, String word) {
        return failure instanceof RedisCommandExecutionException
                && String.valueOf(failure.getMessage()).contains(word);
    }

    private static boolean beforeExecution(String reason) {
        for (String word : BEFORE_EXECUTION) {
            // Inside a script the word stands behind "ERR" of older servers, but then nothing was written before it.
            if (reason.startsWith(word)) {
                return true;
            }
        }
        return false;
    }

    private static String advice(String reason) {
        if (reason.contains("READONLY")) {
            return " (a replica cannot hold locks: give the address of the primary, or use redis-sentinel://)";
        }
        if (reason.contains("NOPERM")) {
            return " (the ACL of this user needs the commands and keys in docs/stores/redis.md)";
        }
        return "";
    }
}
