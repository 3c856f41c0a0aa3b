package io.holdfast.redis.wire;

import io.holdfast.StoreUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
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
