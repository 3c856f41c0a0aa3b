package io.holdfast.etcd.client;

import io.etcd.jetcd.common.exception.CompactedException;
import io.grpc.Status;
import io.holdfast.StoreUnavailableException;
import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** jetcd's and gRPC's failures as the store contract states them: whether the request may have taken effect. */
public final class Failures {
    private Failures() {}

    /** This failure of a call, as an exception of the store contract. */
    public static StoreUnavailableException of(String where, Throwable failure) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof StoreUnavailableException known) {
            return known;
        }
        if (cause instanceof TimeoutException) {
            return new StoreUnavailableException(where + " did not answer in time", true, cause);
        }
        String reason = String.valueOf(cause.getMessage());
        return new StoreUnavailableException(where + " failed: " + reason + advice(reason), !hadNoEffect(cause), cause);
    }

    /**
     * The failure of a call after an earlier call of the same verb has put a key. The outcome of the verb is unknown
     * even if this call had no effect.
     */
    public static StoreUnavailableException unknown(Throwable failure) {
        Throwable cause = unwrapped(failure);
        return cause instanceof StoreUnavailableException known && known.outcomeUnknown()
                ? known
                : new StoreUnavailableException(String.valueOf(cause.getMessage()), true, cause);
    }

    /** Whether the request may have taken effect although it failed. */
    public static boolean outcomeUnknown(Throwable failure) {
        return !(unwrapped(failure) instanceof StoreUnavailableException known) || known.outcomeUnknown();
    }

    /** The failure itself, without the wrappers of futures. */
    public static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The etcd lease that the request named does not exist. The request had no effect. */
    public static boolean leaseGone(Throwable failure) {
        return says(failure, "requested lease not found");
    }

    /** A watch asked for revisions that a compaction has removed. */
    public static boolean compacted(Throwable failure) {
        return unwrapped(failure) instanceof CompactedException;
    }

    /** The login has expired. The request had no effect, and jetcd logs in again with the next call. */
    static boolean loginExpired(Throwable failure) {
        return says(failure, "invalid auth token") || says(failure, "revision of auth store is old");
    }

    private static boolean says(Throwable failure, String words) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains(words)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hadNoEffect(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof ConnectException) {
                return true;
            }
        }
        return switch (Status.fromThrowable(cause).getCode()) {
            case UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION -> true;
            default -> loginExpired(cause) || leaseGone(cause);
        };
    }

    private static String advice(String reason) {
        if (reason.contains("permission denied")) {
            return " (this user needs the role in docs/stores/etcd.md)";
        }
        if (reason.contains("space exceeded")) {
            return " (etcd is full: compact, defragment and disarm its alarm; turn on --auto-compaction-retention)";
        }
        return "";
    }
}
