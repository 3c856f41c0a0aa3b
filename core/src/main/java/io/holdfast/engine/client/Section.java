package io.holdfast.engine.client;

import io.holdfast.Acquirable;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseSet;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.ReleaseOutcome;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Work under a lease, from the grant to the release. */
final class Section {
    private Section() {}

    /** As {@link Acquirable.Work}, for one lease or for several. */
    @FunctionalInterface
    interface Body<L, T, E extends Exception> {
        T call(L held) throws E;
    }

    /** Runs the work, releases, and throws if the lease did not last; the work's own failure comes first. */
    static <T, E extends Exception> T call(Lease lease, Body<Lease, T, E> work) throws E {
        return call(lease, List.of(lease), work);
    }

    /** The same for several leases, which are released in the opposite order. */
    static <T, E extends Exception> T call(LeaseSet leases, Body<LeaseSet, T, E> work) throws E {
        return call(leases, leases.leases(), work);
    }

    private static <L, T, E extends Exception> T call(L held, List<Lease> leases, Body<L, T, E> work) throws E {
        T value;
        try {
            value = work.call(held);
        } catch (Throwable failure) {
            LeaseLostException lost = end(leases);
            if (lost != null) {
                failure.addSuppressed(lost);
            }
            throw failure;
        }
        LeaseLostException lost = end(leases);
        if (lost != null) {
            throw lost;
        }
        return value;
    }

    /** What {@code callIfFree} returns. */
    static <T> T result(String name, @Nullable T value) {
        if (value == null) {
            throw new NullPointerException("the work under lock '" + name
                    + "' returned null, which callIfFree cannot tell from a lock that is not free: use runIfFree");
        }
        return value;
    }

    /**
     * Runs the work on the client's executor when the lease is there. The caller may complete the result first, at any
     * moment: before the grant the request is withdrawn; after it the work does not begin and the lease is released. Work
     * that has begun keeps its lease until it ends.
     */
    static <T> CompletableFuture<T> callAsync(
            Executor executor, CompletableFuture<Lease> acquired, Acquirable.Work<T, ? extends Exception> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        acquired.whenComplete((lease, failure) -> {
            if (lease == null) {
                result.completeExceptionally(failure);
            } else {
                // The future of a lease may be complete before this is registered: then this is the caller's thread.
                executor.execute(() -> begin(lease, work, result));
            }
        });
        result.whenComplete((value, failure) -> acquired.cancel(false));
        return result;
    }

    private static <T> void begin(
            Lease lease, Acquirable.Work<T, ? extends Exception> work, CompletableFuture<T> result) {
        if (result.isDone()) {
            lease.releaseAsync();
            return;
        }
        try {
            result.complete(call(lease, work::call));
        } catch (Throwable failure) {
            result.completeExceptionally(failure);
        }
    }

    /** Releases all, the last acquired first; says if one of them did not last. */
    private static @Nullable LeaseLostException end(List<Lease> leases) {
        LeaseLostException lost = null;
        for (int i = leases.size() - 1; i >= 0; i--) {
            LeaseLostException one = end(leases.get(i));
            lost = lost == null ? one : lost;
        }
        return lost;
    }

    private static @Nullable LeaseLostException end(Lease lease) {
        LeaseState state = lease.state();
        if (state == LeaseState.RELEASED) {
            return null; // The work released it itself.
        }
        LeaseLostException lost = null;
        if (state == LeaseState.LOST) {
            try {
                lease.ensureValid();
            } catch (LeaseLostException e) {
                lost = e;
            }
        }
        ReleaseOutcome outcome = lease.release();
        if (lost == null && (outcome == ReleaseOutcome.EXPIRED || outcome == ReleaseOutcome.TAKEN)) {
            String how = outcome == ReleaseOutcome.TAKEN ? "another holder had it" : "it was not held any more";
            lost = new LeaseLostException(new Loss(
                    lease.lockName(), lease.token(), LossReason.GONE, "at the release " + how + " in the store"));
        }
        return lost;
    }
}
