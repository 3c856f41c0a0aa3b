package io.holdfast.engine;

import io.holdfast.Election;
import io.holdfast.Holder;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.LockStatus;
import io.holdfast.Loss;
import io.holdfast.Mode;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Election by the exclusive lock of a name. */
final class LockElection implements Election {
    private static final long PAUSE_AFTER_FAILURE = 1_000_000_000;

    private final HoldfastClient client;
    private final String name;

    LockElection(HoldfastClient client, String name) {
        this.client = client;
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Candidacy stand(LockOptions options, Candidate candidate) {
        Request request =
                client.request(name, Mode.EXCLUSIVE, 1, options.handoffs(0)).waiting(Request.FOREVER);
        Standing standing = new Standing(request, candidate);
        standing.contend();
        return standing;
    }

    @Override
    public Optional<Holder> leader() {
        return client.inspect(name)
                .map(LockStatus::holders)
                .flatMap(holders -> holders.stream()
                        .filter(holder -> holder.mode() == Mode.EXCLUSIVE)
                        .findFirst());
    }

    /**
     * A candidacy: contends, leads, contends again. The candidate's calls are chained, so that it hears one at a time
     * and in order. Fields are guarded by this object's monitor.
     */
    private final class Standing implements Candidacy {
        private final Request request;
        private final Candidate candidate;
        private CompletableFuture<Void> calls = CompletableFuture.completedFuture(null);
        private @Nullable CompletableFuture<Lease> contest;
        private @Nullable Lease leadership;
        private boolean closed;

        Standing(Request request, Candidate candidate) {
            this.request = request;
            this.candidate = candidate;
        }

        void contend() {
            CompletableFuture<Lease> asked;
            synchronized (this) {
                if (closed) {
                    return;
                }
                asked = client.acquireAsync(request);
                contest = asked;
            }
            asked.whenComplete((lease, failure) -> {
                if (lease != null) {
                    won(lease);
                } else if (!asked.isCancelled() && !client.closed()) {
                    Log.warning("the election '" + name + "' failed and is tried again", failure);
                    client.env().scheduler.schedule(this::contend, PAUSE_AFTER_FAILURE);
                }
            });
        }

        private void won(Lease lease) {
            boolean tooLate;
            synchronized (this) {
                tooLate = closed;
                if (!tooLate) {
                    leadership = lease;
                    tell(() -> candidate.elected(lease));
                }
            }
            if (tooLate) {
                lease.releaseAsync();
            } else {
                lease.onLost(loss -> deposed(lease, loss));
            }
        }

        private void deposed(Lease lease, Loss loss) {
            synchronized (this) {
                if (leadership != lease) {
                    return;
                }
                leadership = null;
                tell(() -> candidate.deposed(loss));
            }
            lease.releaseAsync();
            contend();
        }

        private void tell(Runnable call) {
            calls = calls.thenRunAsync(call, client.executor()).exceptionally(failure -> {
                Log.warning("a candidate of the election '" + name + "' failed", failure);
                return null;
            });
        }

        @Override
        public boolean isLeader() {
            return leadership().isPresent();
        }

        @Override
        public synchronized Optional<Lease> leadership() {
            Lease lease = leadership;
            boolean leads = lease != null && (lease.state() == LeaseState.HELD || lease.state() == LeaseState.JEOPARDY);
            return leads ? Optional.ofNullable(lease) : Optional.empty();
        }

        @Override
        public void resign() {
            Lease lease;
            synchronized (this) {
                lease = leadership;
                leadership = null;
            }
            if (lease != null) {
                lease.release();
                // On a store without a queue the others need a moment in which to be first.
                client.env()
                        .scheduler
                        .schedule(
                                this::contend,
                                client.env().queueing != null
                                        ? 0
                                        : 4 * client.env().pauseNanos());
            }
        }

        @Override
        public void close() {
            Lease lease;
            CompletableFuture<Lease> running;
            synchronized (this) {
                closed = true;
                lease = leadership;
                leadership = null;
                running = contest;
            }
            if (running != null) {
                running.cancel(false);
            }
            if (lease != null) {
                lease.close();
            }
        }
    }
}
