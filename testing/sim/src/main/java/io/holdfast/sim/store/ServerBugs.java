package io.holdfast.sim.store;

import io.holdfast.memory.Decision;
import io.holdfast.sim.plan.PlantedBug;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The planted bugs of the server. With {@link PlantedBug#NOTHING} every method returns its argument. */
public final class ServerBugs {
    private final PlantedBug planted;
    private final SplittableRandom random;
    private final Map<HolderId, Integer> lives = new HashMap<>();
    private final Map<HolderId, Claim> originals = new HashMap<>();
    private final Map<String, Claim> lastGranted = new HashMap<>();
    private final Set<HolderId> lostWaiters = new HashSet<>();
    private long restarted;
    private boolean lost;

    public ServerBugs(PlantedBug planted, SplittableRandom random) {
        this.planted = planted;
        this.random = random;
    }

    public PlantedBug planted() {
        return planted;
    }

    /** The claim as the broken store understands it. */
    public Claim asked(Claim claim) {
        Claim changed = switch (planted) {
            case NO_TOMBSTONES, RENEW_REVIVES -> with(claim, alias(claim.holder()), claim.ttl(), claim.lockDelay());
            case NO_LOCK_DELAY -> with(claim, claim.holder(), claim.ttl(), Duration.ZERO);
            case NO_NOTES -> with(claim, claim.holder(), claim.ttl(), claim.lockDelay());
            case EXPIRES_EARLY -> with(claim, claim.holder(), claim.ttl().dividedBy(2), claim.lockDelay());
            default -> claim;
        };
        if (!changed.equals(claim)) {
            originals.put(changed.holder(), claim);
        }
        return changed;
    }

    public Claim original(Claim claim) {
        Claim original = originals.get(claim.holder());
        return original == null ? claim : original;
    }

    public Claim releasing(Claim claim) {
        Claim last = planted == PlantedBug.RELEASE_IGNORES_HOLDER ? lastGranted.get(claim.lockName()) : null;
        return last == null ? asked(claim) : last;
    }

    public void granted(Claim claim) {
        lastGranted.put(claim.lockName(), claim);
    }

    public void released(Claim claim) {
        if (planted == PlantedBug.NO_TOMBSTONES) {
            lives.merge(claim.holder(), 1, Integer::sum);
        }
    }

    public Decision revived(Claim claim, Decision lost, Function<Claim, Decision> acquire) {
        if (planted != PlantedBug.RENEW_REVIVES) {
            return lost;
        }
        lives.merge(claim.holder(), 1, Integer::sum);
        Decision again = acquire.apply(asked(claim));
        return again instanceof Decision.Grant ? again : lost;
    }

    public long promised(long nanos) {
        return planted == PlantedBug.EXPIRES_EARLY ? nanos * 2 : nanos;
    }

    public long token(long token, long wallMicros) {
        if (planted == PlantedBug.TOKENS_FOLLOW_THE_CLOCK) {
            return wallMicros;
        }
        return planted == PlantedBug.TOKENS_RESTART && lost ? ++restarted : token;
    }

    public void lostData() {
        lost = true;
        restarted = 0;
    }

    public boolean losesWaiter(Claim claim) {
        return planted == PlantedBug.LOSES_WAITERS && random.nextInt(4) == 0 && lostWaiters.add(claim.holder());
    }

    public boolean hasLost(Claim claim) {
        return lostWaiters.contains(claim.holder());
    }

    private HolderId alias(HolderId holder) {
        @Nullable Integer life = lives.get(holder);
        return life == null ? holder : new HolderId(holder.high(), holder.middle(), holder.low() ^ (life << 8));
    }

    private static Claim with(Claim claim, HolderId holder, Duration ttl, Duration lockDelay) {
        return new Claim(
                claim.lockName(),
                holder,
                claim.clientId(),
                claim.label(),
                claim.mode(),
                claim.permits(),
                ttl,
                lockDelay,
                claim.span());
    }
}
