package io.holdfast.sim.check;

import io.holdfast.Lease;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.sim.plan.LockRequest;
import io.holdfast.sim.world.Machine;
import io.holdfast.sim.world.World;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Compares what clients send, and what their callers are told, with the {@link GrantLedger}. */
public final class ClientObserver {
    /** What was sent about one holder id. */
    private static final class Sent {
        final ObservedClient client;
        final Claim claim;
        boolean released;
        boolean lost;
        boolean seen;
        boolean renewed;

        Sent(ObservedClient client, Claim claim) {
            this.client = client;
            this.claim = claim;
        }
    }

    private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(30);

    private final World world;
    private final Rules rules;
    private final GrantLedger ledger;
    private final FairnessChecks fairness;
    private final ValidityChecks validity;
    private final Map<String, Long> highestBegun = new HashMap<>();
    private final Map<HolderId, Sent> sent = new HashMap<>();
    private final IdentityHashMap<Lease, HeldLease> byLease = new IdentityHashMap<>();
    private final List<HeldLease> active = new ArrayList<>();
    private final List<HeldLease> all = new ArrayList<>();
    private final IdentityHashMap<GrantLedger.Entry, Long> lastIssued = new IdentityHashMap<>();
    private final IdentityHashMap<GrantLedger.Entry, Long> endedAt = new IdentityHashMap<>();
    private long storeDisturbedAt;

    public ClientObserver(World world, Rules rules, GrantLedger ledger, FairnessChecks fairness) {
        this.world = world;
        this.fairness = fairness;
        this.validity = new ValidityChecks(world, rules, ledger);
        this.rules = rules;
        this.ledger = ledger;
    }

    /** A client sends a request. */
    public void sent(ObservedClient client, SentVerb verb, Claim claim) {
        Sent known = sent.get(claim.holder());
        switch (verb) {
            case ACQUIRE, ENQUEUE -> {
                rules.require(Rule.FRESH, known == null, () -> verb + " repeats the holder id of " + claim);
                sent.put(claim.holder(), new Sent(client, claim));
                fairness.contends(client, claim);
            }
            case RENEW -> {
                boolean serial = known != null && !known.released;
                rules.require(Rule.KEEP_SERIAL, serial, () -> "a renewal follows the release of " + claim);
                rules.require(
                        Rule.L11_SILENT,
                        known == null || !known.lost || ledger.areTokensExcused(claim.lockName()),
                        () -> "a renewal follows the loss of " + claim);
                if (known != null) {
                    known.renewed = true;
                }
                for (HeldLease held : active) {
                    held.renewalSent |= held.entry.claim.holder().equals(claim.holder());
                }
            }
            case RELEASE, CANCEL -> {
                if (known != null) {
                    if (verb == SentVerb.RELEASE && known.seen && !known.lost && !known.released) {
                        fairness.givesUp(client, claim);
                    }
                    known.released = true;
                }
            }
        }
    }

    /** A client hears how long it leaves a name to others. */
    public void standsBack(ObservedClient client, Claim claim, Duration howLong) {
        fairness.standsBack(client, claim, howLong);
    }

    /** The store is away until then, or something happened to it. */
    public void storeDisturbed(long until) {
        storeDisturbedAt = Math.max(storeDisturbedAt, until);
    }

    public long storeDisturbedAt() {
        return storeDisturbedAt;
    }

    /** The engine made a lease. */
    public void issued(ObservedClient client, Lease lease, boolean handedOff) {
        GrantLedger.Entry entry = ledger.find(lease.lockName(), lease.token());
        if (entry == null) {
            rules.fail(
                    Rule.P1_COVER,
                    client.name() + " has a lease with token " + lease.token() + ", which the store never granted");
            return;
        }
        HeldLease held = new HeldLease(client, lease, entry);
        byLease.put(lease, held);
        all.add(held);
        Sent request = sent.get(entry.claim.holder());
        boolean excused = ledger.areTokensExcused(lease.lockName());
        if (request != null) {
            request.seen = true;
            rules.require(
                    Rule.U15_OWN_RELEASE,
                    excused || (!request.released && !request.lost),
                    () -> "a lease was made on a grant that was given up before: " + held);
        }
        Long before = lastIssued.put(entry, lease.token());
        rules.require(
                Rule.U5_PASSES,
                excused || (before == null ? lease.token() == entry.token : lease.token() == before + 1),
                () -> "token " + lease.token() + " after " + before + " on " + entry);
        rules.require(
                Rule.U5_PASSES,
                excused || handedOff == (before != null),
                () -> "a " + (handedOff ? "hand-off" : "grant") + " with token " + lease.token() + " on " + entry);
        if (handedOff && !excused) {
            Duration half = entry.claim.ttl().dividedBy(2);
            rules.require(
                    Rule.U14_EQUALS,
                    entry.claim.mode() == Mode.EXCLUSIVE
                            && lease.remaining().plusMillis(5).compareTo(half) >= 0,
                    () -> "passed with " + lease.remaining() + " left: " + held);
        }
    }

    /** A caller gets its lease. */
    @Nullable
    public HeldLease begins(ObservedClient client, ObservedTask task, LockRequest ask, Lease lease) {
        HeldLease held = byLease.get(lease);
        if (held == null) {
            rules.fail(Rule.P1_COVER, "no listener heard of the lease with token " + lease.token());
            return null;
        }
        held.renewal = ask.renewal();
        boolean passed = lease.token() != held.entry.token;
        if (passed) {
            Claim claim = held.entry.claim;
            rules.require(
                    Rule.U14_EQUALS,
                    ask.mode() == Mode.EXCLUSIVE
                            && ask.renewal()
                            && ask.ttl().equals(claim.ttl())
                            && ask.lockDelay().equals(claim.lockDelay()),
                    () -> ask + " was given a lease of " + claim);
        }
        active.add(held);
        checkOrder(held);
        return held;
    }

    private void checkOrder(HeldLease held) {
        String name = held.lease.lockName();
        if (held.lease.mode() != Mode.EXCLUSIVE || held.entry.isExcused() || !validity.isBelieved(held)) {
            return;
        }
        long before = highestBegun.getOrDefault(name, 0L);
        rules.require(
                Rule.P2_LEASE_TOKENS,
                held.lease.token() > before || ledger.areTokensExcused(name),
                () -> "a holder begins after one with token " + before + ": " + held);
        highestBegun.put(name, held.lease.token());
    }

    public void renewed(Lease lease) {
        HeldLease held = byLease.get(lease);
        if (held != null && held.renewalSent) {
            held.distrustedSince = -1;
        }
    }

    /** The store's answer that this claim is lost reaches its client. */
    public void denied(Claim claim) {
        for (HeldLease held : active) {
            if (held.entry.claim.holder().equals(claim.holder()) && held.deniedByStoreAt < 0) {
                held.deniedByStoreAt = world.now();
            }
        }
    }

    /** A machine woke up: its leases are in doubt until they are renewed (U21). */
    public void resumed(Machine machine, long sleptNanos) {
        for (HeldLease held : active) {
            long ttl = held.entry.claim.ttl().toNanos();
            if (held.client.machine() == machine && sleptNanos > ttl / 50 + TimeUnit.MILLISECONDS.toNanos(5)) {
                held.distrustedSince = world.now();
                held.renewalSent = false;
            }
        }
    }

    /** The engine says that a lease is lost. */
    public void lost(Lease lease, LossReason reason) {
        HeldLease held = byLease.get(lease);
        if (held == null) {
            return;
        }
        rules.require(Rule.N3_ONCE, !held.lost && held.outcome == null, () -> "lost once more, or after: " + held);
        held.lost = true;
        checkKeptTrying(held, reason);
        Sent request = sent.get(held.entry.claim.holder());
        if (request != null) {
            request.lost = true;
        }
    }

    /** With a client and a store that are well, only a lease that is not renewed runs out. */
    private void checkKeptTrying(HeldLease held, LossReason reason) {
        long ttl = held.entry.claim.ttl().toNanos();
        long well = world.now() - Math.max(held.client.disturbedAt(), storeDisturbedAt);
        // Of a pushed grant so little may be left that no renewal can save it.
        boolean hadTime =
                held.leftAtFirst.toMillis() > 200 + held.client.ioTimeout().toMillis();
        boolean wellFor = well > ttl / 2 + TimeUnit.MILLISECONDS.toNanos(700);
        if (reason == LossReason.EXPIRED && held.renewal && hadTime && wellFor) {
            rules.fail(Rule.KEEP_TRYING, "ran out after " + Duration.ofNanos(well) + " without a fault: " + held);
        }
        rules.require(Rule.KEEP_TRYING, true, () -> "");
    }

    /** The engine is given a provisional grant. */
    public void provisional(ObservedClient client, Claim claim) {
        world.post(client.machine(), TimeUnit.MILLISECONDS.toNanos(5), "is it confirmed?", () -> {
            Sent request = sent.get(claim.holder());
            rules.require(
                    Rule.L3_CONFIRM,
                    request == null || request.renewed || request.released,
                    () -> "no renewal has confirmed " + claim);
        });
    }

    /** The caller's own callback heard of the loss. */
    public void told(Lease lease) {
        HeldLease held = byLease.get(lease);
        if (held != null) {
            rules.require(Rule.N3_ONCE, held.lost && !held.told, () -> "told twice, or before the loss: " + held);
            held.told = true;
        }
    }

    /** The caller releases. */
    public void releases(HeldLease held) {
        held.releasing = true;
        endedAt.put(held.entry, world.now());
        active.remove(held);
    }

    /** The release has an outcome. */
    public void ended(HeldLease held, ReleaseOutcome outcome) {
        held.outcome = outcome;
        boolean passedOn = lastIssued.getOrDefault(held.entry, 0L) > held.lease.token();
        boolean atStore = ledger.wasReleased(held.entry.claim.holder());
        switch (outcome) {
            case RELEASED -> {
                rules.require(Rule.N3_ONCE, !held.lost, () -> "released although lost: " + held);
                rules.require(
                        Rule.P6_RELEASE,
                        passedOn || held.entry.isReleased() || held.entry.isExcused(),
                        () -> "RELEASED, but neither passed on nor released at the store: " + held);
            }
            case EXPIRED, TAKEN ->
                rules.require(
                        Rule.P6_RELEASE,
                        held.lost || (atStore && !ledger.isOpen(held.entry)),
                        () -> outcome + ", but the lease was neither lost nor over at the store: " + held);
            case UNKNOWN -> {}
        }
    }

    /** A repeated release has an outcome. */
    public void again(HeldLease held, @Nullable ReleaseOutcome outcome) {
        rules.require(
                Rule.P6_RELEASE,
                held.outcome == null || held.outcome == outcome,
                () -> "a second release says " + outcome + " after " + held.outcome);
    }

    /** A call of a task ended, or is still under way. */
    public void bounded(ObservedTask task, long longest, String what) {
        rules.require(
                Rule.P5_BOUNDED,
                task.underWayNanos() <= longest + SLACK,
                () -> what + " has taken " + Duration.ofNanos(task.underWayNanos()) + ", at most "
                        + Duration.ofNanos(longest) + " was allowed");
    }

    /** A place in the store's queue is given up. */
    public void givesPlaceUp(ObservedClient client, Claim claim) {
        fairness.givesPlaceUp(client, claim);
    }

    /** Something that must never happen. */
    public void fail(Rule rule, String detail) {
        rules.fail(rule, detail);
    }

    /** A client was closed. */
    public void closed(ObservedClient client, long tookNanos, @Nullable Throwable failure) {
        rules.require(Rule.CALLBACK, failure == null, () -> "close failed with " + failure);
        rules.require(
                Rule.P5_BOUNDED,
                tookNanos <= 2 * client.ioTimeout().toNanos() + SLACK,
                () -> "close took " + Duration.ofNanos(tookNanos));
    }

    /** When the last lease on this grant was given up or passed on; zero if there was none. */
    public long endedAt(GrantLedger.Entry entry) {
        return endedAt.getOrDefault(entry, 0L);
    }

    /** Whether a caller has a lease on this grant and has not begun to release it. */
    public boolean isUsed(GrantLedger.Entry entry) {
        for (HeldLease held : active) {
            if (held.entry == entry) {
                return true;
            }
        }
        return false;
    }

    /** The client that sent the first request of this claim. */
    public Optional<ObservedClient> sender(Claim claim) {
        return Optional.ofNullable(sent.get(claim.holder())).map(request -> request.client);
    }

    /** Whether the store has granted something to this client that no caller knows of yet. */
    public boolean hasUnseenGrant(ObservedClient client) {
        for (Sent request : sent.values()) {
            if (request.client == client && !request.seen) {
                GrantLedger.Entry entry = ledger.find(request.claim.holder());
                if (entry != null && ledger.isOpen(entry)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** After every step. */
    public void check() {
        validity.check(active);
    }
}
