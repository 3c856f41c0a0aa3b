package io.holdfast.etcd;

import io.etcd.jetcd.common.exception.CompactedException;
import io.grpc.Status;
import io.holdfast.StoreUnavailableException;
import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** What went wrong, in the words of the contract: whether the request may have taken effect all the same. */
final class Failures {
    private Failures() {}

    static StoreUnavailableException of(String where, Throwable failure) {
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

    static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The etcd lease of the request does not exist any more; nothing was done. */
    static boolean leaseGone(Throwable failure) {
        return says(failure, "requested lease not found");
    }

    /** The login has run out; nothing was done, and jetcd has dropped it, so that the next call logs in again. */
    static boolean loginExpired(Throwable failure) {
        return says(failure, "invalid auth token") || says(failure, "revision of auth store is old");
    }

    /** A watch asked for revisions that a compaction has removed. */
    static boolean compacted(Throwable failure) {
        return unwrapped(failure) instanceof CompactedException;
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
