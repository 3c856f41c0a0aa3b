package io.holdfast.etcd;

import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Refused;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Claims that do not wait. A try enters the line like everybody and leaves it at once if it is not first, which takes a
 * second trip and keeps others out for a moment. So a name at which a try was refused lately is looked at first, and the
 * line is entered only if that finds it free.
 */
final class Trying {
    private static final long REMEMBERED = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST = 1000;

    private final Env env;
    private final Leaving leaving;
    private final Map<String, Long> refusedAt = new LinkedHashMap<>();

    Trying(Env env, Leaving leaving) {
        this.env = env;
        this.leaving = leaving;
    }

    /** Completes with a refusal that needs no try, or with null. */
    CompletableFuture<@Nullable AcquireResult> worthIt(Claim claim, @Nullable Place known, long began) {
        if (known != null || !refusedLately(claim.lockName(), began)) {
            return CompletableFuture.completedFuture(null);
        }
        return env.wire()
                .txn(List.of(), LineReads.whole(env.keys(), claim.lockName()), List.of(), env.left(claim, began))
                .thenApply(answer -> {
                    Line line = LineReads.line(answer.getGetResponses(), 0);
                    boolean free =
                            line.of(claim.holder()) != null || line.before(claim.mode(), claim.permits()) == null;
                    return free ? null : refusal(claim, line);
                });
    }

    /** Takes a claim that is not first out of the line again. */
    CompletableFuture<AcquireResult> leave(Place place, Line line) {
        refused(place.claim.lockName());
        return leaving.release(
                        place.claim, place, Place.Phase.WAITING, env.clock().nanos())
                .handle((gone, failure) -> {
                    if (failure != null) {
                        place.session().doubt();
                        throw Env.unknown(failure);
                    }
                    return refusal(place.claim, line);
                });
    }

    Refused refusal(Claim claim, Line line) {
        Entry first = line.holders().stream()
                .filter(holder -> !holder.holder().equals(claim.holder()))
                .findFirst()
                .orElse(null);
        return new Refused(
                first == null ? null : first.asHolder(env.tokens(), first.ttl()),
                null,
                first == null && !line.openDelays().isEmpty(),
                null);
    }

    private synchronized boolean refusedLately(String name, long now) {
        Long at = refusedAt.get(name);
        return at != null && now - at < REMEMBERED;
    }

    private synchronized void refused(String name) {
        refusedAt.remove(name);
        refusedAt.put(name, env.clock().nanos());
        if (refusedAt.size() > MOST) {
            Iterator<String> oldest = refusedAt.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }
}
