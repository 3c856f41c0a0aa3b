package io.holdfast.sim.check;

import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.Mode;
import io.holdfast.sim.world.World;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Compares the leases that clients think they hold with what the store has granted.
 *
 * <p>A lease is <em>believed in</em> if its process runs and a caller that asks {@code ensureValid()} before each step
 * would go on. Leases that their callers have begun to release are not believed in any more.
 */
public final class ValidityChecks {
    private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(30);

    private final World world;
    private final Rules rules;
    private final GrantLedger ledger;

    public ValidityChecks(World world, Rules rules, GrantLedger ledger) {
        this.world = world;
        this.rules = rules;
        this.ledger = ledger;
    }

    /** After every step. */
    public void check(List<HeldLease> active) {
        for (int i = active.size() - 1; i >= 0; i--) {
            HeldLease held = active.get(i);
            if (held.client.machine().isDead()) {
                active.remove(i);
                continue;
            }
            checkStaysOver(held);
            if (held.client.machine().isRunning()) {
                check(held, active);
            }
        }
    }

    /** Also while the process stands still: its clock goes on, and what ends meanwhile has ended. */
    private void checkStaysOver(HeldLease held) {
        if (held.client.machine().isSuspended()) {
            return;
        }
        boolean over = held.lease.remaining().isZero();
        if (over) {
            held.over = true;
        } else if (held.over) {
            rules.fail(Rule.U10_RENEW, "an answer that came after the local deadline revived " + held);
        }
    }

    private void check(HeldLease held, List<HeldLease> active) {
        boolean open = ledger.isOpen(held.entry);
        boolean believed = isBelieved(held);
        if (held.deniedByStoreAt >= 0 && !held.told) {
            long since = Math.max(held.deniedByStoreAt, held.client.machine().lastResumed());
            rules.require(
                    Rule.P4_PUSHED,
                    world.now() - since <= SLACK,
                    () -> "the store said that it is lost, and the holder was not told:  " + held);
        }
        if (held.distrustedSince >= 0) {
            rules.require(Rule.U21_SUSPEND, !believed, () -> "still believed in after a suspension: " + held);
        }
        if (believed) {
            rules.require(
                    Rule.P1_COVER,
                    open || held.entry.isExcused(),
                    () -> "believed in for " + held.lease.remaining() + ", but over at the store: " + held);
            checkExclusion(held, active);
        } else if (!held.told && held.lease.remaining().isZero()) {
            held.overSince = held.overSince < 0 ? world.now() : held.overSince;
            long since = Math.max(held.overSince, held.client.machine().lastResumed());
            rules.require(
                    Rule.P4_PUSHED, world.now() - since <= SLACK, () -> "over, and the holder was not told:  " + held);
        }
    }

    private void checkExclusion(HeldLease held, List<HeldLease> active) {
        for (HeldLease other : active) {
            if (other == held || !other.lease.lockName().equals(held.lease.lockName())) {
                continue;
            }
            boolean compatible = held.lease.mode() == other.lease.mode() && held.lease.mode() != Mode.EXCLUSIVE;
            boolean excused = held.entry.isExcused() || other.entry.isExcused();
            if (!compatible && !excused && other.client.machine().isRunning()) {
                rules.require(Rule.P1_EXCLUSION, !isBelieved(other), () -> "two holders: " + held + " and " + other);
            }
        }
    }

    /**
     * Asking a doubtful lease makes the engine renew it soon. A caller does not ask without end in no time, so a denial
     * stands for a millisecond.
     */
    public boolean isBelieved(HeldLease held) {
        if (held.lost || held.lease.remaining().isZero()) {
            return false;
        }
        if (held.lease.state() == LeaseState.HELD) {
            return true;
        }
        if (held.deniedAt >= 0 && world.now() - held.deniedAt < 1_000_000) {
            return false;
        }
        try {
            held.lease.ensureValid();
            return true;
        } catch (LeaseLostException e) {
            held.deniedAt = world.now();
            return false;
        }
    }
}
