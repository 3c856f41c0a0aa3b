package io.holdfast.redlock.vote;

import io.holdfast.StoreUnavailableException;
import io.holdfast.redlock.node.Round;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The claims that are being voted on. A store that is closed meanwhile releases them by holder id before it drops its
 * connections (L16): votes that no client speaks for would close the name for their TTL. Thread-safe.
 */
public final class VotesUnderWay {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redlock");
    private static final long PAUSE_MILLIS = 20;

    /** By holder, with the number of calls: a repeated request has the same. */
    private final Map<HolderId, Integer> calls = new HashMap<>();

    private final Map<HolderId, Claim> claims = new HashMap<>();
    private boolean closed;

    public synchronized boolean closed() {
        return closed;
    }

    public static StoreUnavailableException closedStore() {
        return new StoreUnavailableException("the store is closed", false, null);
    }

    /** Has a claim voted on. A grant that meets the release of {@link #close} is no grant (U15). */
    public CompletableFuture<AcquireResult> during(Claim claim, Supplier<CompletableFuture<AcquireResult>> vote) {
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(closedStore());
            }
            claims.put(claim.holder(), claim);
            calls.merge(claim.holder(), 1, Integer::sum);
        }
        CompletableFuture<AcquireResult> voted;
        try {
            voted = vote.get();
        } catch (Throwable e) { // L13: also what is thrown is an outcome
            voted = CompletableFuture.failedFuture(e);
        }
        return voted.whenComplete((value, failure) -> {
            if (ended(claim) && failure == null) {
                throw closedStore();
            }
        });
    }

    private synchronized boolean ended(Claim claim) {
        if (calls.merge(claim.holder(), -1, Integer::sum) == 0) {
            calls.remove(claim.holder());
            claims.remove(claim.holder());
        }
        return closed;
    }

    /**
     * Lets no further claim be voted on and releases those that are. Each is repeated until a majority has answered, so
     * that what may be left keeps no claim out, or {@code longest} is over.
     */
    public void close(Verbs verbs, int majority, long longestNanos) {
        List<Claim> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(claims.values());
        }
        long end = System.nanoTime() + longestNanos;
        while (!left.isEmpty() && System.nanoTime() - end < 0) {
            left = released(left, verbs, majority, end);
        }
        if (!left.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "closed while {0} claims were voted on, and no majority has answered their release: they end with"
                            + " their TTL",
                    left.size());
        }
    }

    /** Those whose release no majority has answered. */
    private static List<Claim> released(List<Claim> claims, Verbs verbs, int majority, long end) {
        Map<Claim, CompletableFuture<List<Round.Answer>>> asked = new HashMap<>();
        claims.forEach(claim -> asked.put(claim, verbs.releaseEverywhere(claim)));
        CompletableFuture<Void> all = CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new));
        try {
            all.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            List<Claim> left = claims.stream()
                    .filter(claim -> answered(asked, claim) < majority)
                    .toList();
            if (!left.isEmpty()) {
                // Without connections the calls failed at once; the nodes are being connected again meanwhile.
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            return left;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        } catch (ExecutionException | TimeoutException e) {
            return claims;
        }
    }

    private static long answered(Map<Claim, CompletableFuture<List<Round.Answer>>> asked, Claim claim) {
        CompletableFuture<List<Round.Answer>> answers = asked.get(claim);
        return answers == null
                ? 0
                : answers.join().stream()
                        .filter(answer -> answer.reply() != null)
                        .count();
    }
}
