package io.holdfast.engine.queue;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Term;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One exclusive lock with tombstones, and with a queue if it should have one. Acts at once and says so to its caller. */
final class ScriptedStore {
    static final Refused HELD = new Refused(null, null, false, null);
    private static final HolderId ANOTHER = new HolderId(1, 1, 1);

    private final boolean queueing;
    private final Deque<Claim> queue = new ArrayDeque<>();
    private final Set<HolderId> tombstones = new HashSet<>();
    private final Map<HolderId, Consumer<Granted>> awaiting = new HashMap<>();
    private final Map<HolderId, Granted> pushed = new HashMap<>();
    private @Nullable HolderId holder;
    private Term term = new Term(0, 1);
    private long token;
    private boolean aging;

    ScriptedStore(boolean queueing) {
        this.queueing = queueing;
    }

    /** {@link Granted}, {@link Queued} or {@link Refused}. */
    Object ask(Claim claim, Term granted, boolean isTry) {
        term = granted;
        if (tombstones.contains(claim.holder())) {
            return HELD;
        }
        if (holder == null && queue.isEmpty()) {
            holder = claim.holder();
            return grant(claim);
        }
        if (!queueing || isTry) {
            return HELD;
        }
        queue.add(claim);
        return new Queued(new Place(), HELD);
    }

    private Granted grant(Claim claim) {
        long first = token + 1;
        token += claim.span();
        return new Granted(first, claim.span(), term);
    }

    /** Releases, leaves the queue, or leaves a tombstone. */
    void release(Claim claim) {
        tombstones.add(claim.holder());
        queue.removeIf(each -> each.holder().equals(claim.holder()));
        awaiting.remove(claim.holder());
        if (claim.holder().equals(holder)) {
            holder = null;
        }
        advance();
    }

    private void advance() {
        Claim next = holder == null ? queue.poll() : null;
        if (next == null) {
            return;
        }
        holder = next.holder();
        Granted grant = grant(next);
        if (aging) {
            long length = term.nanos();
            Term aged = new Term(term.sentNanos() - length, length + length / 100 + 102_000_000);
            grant = new Granted(grant.token(), grant.span(), aged);
        }
        Consumer<Granted> waiting = awaiting.remove(next.holder());
        if (waiting == null) {
            pushed.put(next.holder(), grant);
        } else {
            waiting.accept(grant);
        }
    }

    /** The grant that is pushed to this claim goes to {@code then}. */
    void await(Claim claim, Consumer<Granted> then) {
        Granted known = pushed.remove(claim.holder());
        if (known != null) {
            then.accept(known);
        } else {
            awaiting.put(claim.holder(), then);
        }
    }

    /** Of a pushed grant little is left from now on: it has to be renewed before it is used. */
    void agePushes() {
        aging = true;
    }

    /** Another client takes the lock, if it is free. */
    void takeForAnother() {
        holder = holder == null ? ANOTHER : holder;
    }

    void releaseForAnother() {
        if (ANOTHER.equals(holder)) {
            holder = null;
            advance();
        }
    }

    boolean holds(Claim claim) {
        return claim.holder().equals(holder);
    }

    boolean isQueued(Claim claim) {
        return queue.stream().anyMatch(each -> each.holder().equals(claim.holder()));
    }

    boolean isEmpty() {
        return holder == null && queue.isEmpty();
    }

    @Override
    public String toString() {
        return "holder " + holder + ", queue " + queue;
    }

    /** The explorer performs what a runner would call here. */
    private static final class Place implements Ticket {
        @Override
        public CompletionStage<Granted> granted() {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<ReleaseResult> cancel() {
            return new CompletableFuture<>();
        }

        @Override
        public void extend(Duration wait) {}
    }
}
