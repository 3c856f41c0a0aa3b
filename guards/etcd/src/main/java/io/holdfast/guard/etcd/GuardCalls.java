package io.holdfast.guard.etcd;

import io.etcd.jetcd.KV;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import io.grpc.Status;
import io.holdfast.StoreUnavailableException;
import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Transactions of one verb of a guard: the calling thread waits for each, and for all of them until one deadline. */
final class GuardCalls {
    private final KV kv;
    private final long deadline;

    GuardCalls(KV kv, long timeoutNanos) {
        this.kv = kv;
        this.deadline = System.nanoTime() + timeoutNanos;
    }

    /**
     * Does {@code then} if all of {@code when} is true. A call that was refused because the login had expired is
     * repeated.
     */
    TxnResponse txn(Cmp[] when, Op[] then) {
        try {
            return send(when, then);
        } catch (RuntimeException e) {
            if (!loginExpired(e)) {
                throw unavailable(e);
            }
        }
        try {
            return send(when, then);
        } catch (RuntimeException e) {
            throw unavailable(e);
        }
    }

    private TxnResponse send(Cmp[] when, Op[] then) {
        return kv.txn()
                .If(when)
                .Then(then)
                .commit()
                .orTimeout(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
                .join();
    }

    private static StoreUnavailableException unavailable(RuntimeException failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof TimeoutException
                ? new StoreUnavailableException("etcd: did not answer in time", true, cause)
                : new StoreUnavailableException("etcd: failed: " + cause.getMessage(), !hadNoEffect(cause), cause);
    }

    private static boolean hadNoEffect(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException) {
                return true;
            }
        }
        return switch (Status.fromThrowable(failure).getCode()) {
            case UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION -> true;
            default -> loginExpired(failure);
        };
    }

    /** The request had no effect, and jetcd logs in again with the next call. */
    private static boolean loginExpired(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (message.contains("invalid auth token") || message.contains("revision of auth store is old")) {
                return true;
            }
        }
        return false;
    }
}
