package io.holdfast.zookeeper.lease;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.StoreSignals;
import io.holdfast.zookeeper.session.Session;
import io.holdfast.zookeeper.session.Sessions;
import io.holdfast.zookeeper.session.StoreErrors;
import io.holdfast.zookeeper.session.TaskFailures;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The claims of a store on its sessions: gives a claim its session, renews leases, tells claims that their session has
 * ended, and closes everything. Thread-safe.
 *
 * @param <C> the kind of claim
 */
public final class SessionLeases<C extends SessionClaim> {
    private final Sessions sessions;
    private final StoreSetup setup;
    private final ClaimRegistry<C> claims;
    private final AnswerDeadlines deadlines;
    private final LeaseRenewal renewal;

    /** Starts the sessions. */
    public SessionLeases(Sessions sessions, StoreSetup setup, ClaimRegistry<C> claims, AnswerDeadlines deadlines) {
        this.sessions = sessions;
        this.setup = setup;
        this.claims = claims;
        this.deadlines = deadlines;
        this.renewal = new LeaseRenewal(setup, claims, deadlines);
        sessions.attach(
                setup.context(),
                new SessionEvents<>(setup.context().signals(), claims, new OrphanSweep(setup, claims)));
    }

    /** Runs {@code enter} with the session for this claim, when it is open. A failure, of any kind, is the answer. */
    public void inSession(Claim claim, CompletableFuture<?> answer, Consumer<Session> enter) {
        Session ready = sessions.ready(claim.ttl());
        if (ready != null) {
            enter(ready, answer, enter);
            return;
        }
        sessions.of(claim.ttl()).whenComplete((session, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(StoreErrors.unwrapped(failure));
            } else if (answer.isDone() || claims.isOver(claim)) {
                answer.completeExceptionally(setup.errors().withdrawn(claim));
            } else {
                enter(session, answer, enter);
            }
        });
    }

    private static void enter(Session session, CompletableFuture<?> answer, Consumer<Session> enter) {
        try {
            enter.accept(session);
        } catch (Throwable failure) { // L13
            answer.completeExceptionally(failure);
        }
    }

    /** Runs {@code read} with any open session, and limits the time for the answer. */
    public <T> CompletionStage<T> inAnySession(String what, Consumer<Session> read, CompletableFuture<T> answer) {
        Session session = sessions.any();
        if (session == null) {
            return CompletableFuture.failedFuture(setup.errors().noSession());
        }
        read.accept(session);
        return deadlines.bounded(answer, what);
    }

    /** As {@code LockStore.renew}. */
    public CompletionStage<List<RenewResult>> renew(List<Claim> wanted) {
        return wanted.isEmpty() ? CompletableFuture.completedFuture(List.of()) : renewal.renew(wanted);
    }

    /**
     * Withdraws claims that are not granted and closes the sessions. It releases no lease: a session with held claims is left
     * to its timeout.
     */
    public void close() {
        List<Session> open = sessions.close();
        if (open.isEmpty()) {
            return;
        }
        List<CompletableFuture<ReleaseResult>> leaving = new ArrayList<>();
        Set<Session> holding = new HashSet<>();
        for (C claim : claims.all()) {
            if (claim.isHeld()) {
                holding.add(claim.session());
            }
            if (claim.isUndecided()) {
                leaving.add(claim.release());
            }
        }
        boolean nodesStay = !holding.isEmpty() || !sessions.owns();
        if (nodesStay && open.stream().anyMatch(Session::isConnected)) {
            awaitAll(leaving);
        }
        open.forEach(session -> session.close(holding.contains(session)));
        claims.clear();
    }

    private void awaitAll(List<CompletableFuture<ReleaseResult>> leaving) {
        try {
            CompletableFuture.allOf(leaving.toArray(CompletableFuture[]::new))
                    .get(setup.settings().ioTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Nodes that could not be deleted end with the session.
        }
    }

    /** Tells the engine and the claims what happens to a session. */
    private record SessionEvents<C extends SessionClaim>(
            StoreSignals signals, ClaimRegistry<C> claims, OrphanSweep orphans) implements Session.Listener {
        @Override
        public void disconnected(Session session) {
            // Leases of other sessions are not in doubt.
            if (claims.all().stream().anyMatch(claim -> claim.session() == session)) {
                signals.disconnected();
            }
        }

        @Override
        public void connected(Session session) {
            orphans.start(session);
            signals.connected();
        }

        @Override
        public void over(Session session) {
            for (C claim : claims.all()) {
                if (claim.session() == session) {
                    TaskFailures.logged(() -> claim.over("its session has ended"));
                }
            }
        }
    }
}
