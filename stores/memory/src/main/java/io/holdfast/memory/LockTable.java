package io.holdfast.memory;

import io.holdfast.LockStatus;
import io.holdfast.LossReason;
import io.holdfast.Revocation;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RevokeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The lock decisions of a queueing store as pure transitions: no I/O, no clock, no randomness, no threads. Every verb
 * takes the time and returns its answer; what it did to others is fetched with {@link #takePushes()}. The memory store
 * runs it under a lock, the simulation as its modelled server. The same calls with the same times give the same
 * answers. Not thread-safe.
 *
 * <p>{@code now} is a reading of the table's own monotonic clock, {@code wallMicros} of its wall clock; they need not
 * agree with any client's.
 *
 * <p><b>States of a grant.</b> In force → in lock-delay (if it has one) → over. Renewal moves the end of a grant that is
 * in force and not revoked; release ends it from either state; revocation forbids renewal or ends it at once.
 *
 * <p><b>Invariants.</b>
 *
 * <ul>
 *   <li>I1: the grants in force of one name are one exclusive, or only shared, or at most {@code permits} permits.
 *   <li>I2: while a grant is in lock-delay nothing is granted (U17).
 *   <li>I3: every token drawn for a name is larger than all drawn for it before; it is drawn in the step that grants.
 *   <li>I4: while the first live waiter has to wait, no other claim is granted: not a newcomer, not a shared claim behind
 *       a waiting exclusive one.
 *   <li>I5: a holder id that was released, cancelled, revoked or that expired is not granted again (L1).
 *   <li>I6: a name without grants and waiters takes no room.
 * </ul>
 *
 * <p><b>Races considered.</b> No code runs when a lease expires, so every verb first runs <em>advance</em> (L4): grants
 * that are over are removed and the lock is handed to the first live waiters. A cancel that meets its own grant
 * releases it. A duplicate of an earlier request meets the grant (and is answered as before), its place in the queue,
 * or its tombstone; it never changes anything.
 */
public final class LockTable {
    private static final Refused FREE = new Refused(null, null, false, null);

    private final Map<String, NameState> names = new HashMap<>();
    private final TableTombstones tombstones = new TableTombstones();
    private final WaitNotes notes = new WaitNotes();
    private final TokenBuckets tokens;
    private List<Push> pushes = new ArrayList<>();

    /** An empty table that keeps the last token per bucket; {@code buckets} is a power of two. */
    public LockTable(int buckets) {
        tokens = new TokenBuckets(buckets);
    }

    /** Grants the lock if no grant and no waiter is in the way: {@code Grant}, {@code Refusal} or {@code Withdrawn}. */
    public Decision tryAcquire(Claim claim, long now, long wallMicros) {
        Decision known = known(claim, now, wallMicros);
        if (known != null) {
            return known;
        }
        NameState state = names.get(claim.lockName());
        if (state == null || isFree(state, claim, now)) {
            return grant(state, claim, now, wallMicros);
        }
        if (!claim.pause().isZero()) {
            notes.note(claim, now);
        }
        return new Decision.Refusal(state.obstacle(now));
    }

    /** Grants the lock or appends the claim to the queue until {@code deadline}; a repeat keeps its place. */
    public Decision enqueue(Claim claim, long deadline, long now, long wallMicros) {
        Decision known = known(claim, now, wallMicros);
        if (known != null) {
            return known;
        }
        NameState state = names.get(claim.lockName());
        if (state == null || isFree(state, claim, now)) {
            return grant(state, claim, now, wallMicros);
        }
        if (!state.waits(claim.holder())) {
            state.append(claim, deadline);
        }
        return new Decision.Waiting(state.obstacle(now));
    }

    /** Releases {@code held} and enqueues {@code next} behind all claims that wait, in one step (U5, U15). */
    public Swap exchange(Claim held, Claim next, long deadline, long now, long wallMicros) {
        ReleaseResult released = release(held, now, wallMicros);
        return new Swap(released, enqueue(next, deadline, now, wallMicros));
    }

    /** What an exchange did to the old claim and to the new one. */
    public record Swap(ReleaseResult released, Decision next) {}

    /** Another deadline for a waiter, which keeps its place; false if it has none any more. */
    public boolean extend(Claim claim, long deadline) {
        NameState state = names.get(claim.lockName());
        return state != null && state.move(claim.holder(), deadline);
    }

    /** Extends a grant by its own TTL: {@code Grant} with the new time, or {@code Lost}. Never creates or revives. */
    public Decision renew(Claim claim, long now, long wallMicros) {
        NameState state = names.get(claim.lockName());
        Holding own = state == null ? null : state.holding(claim.holder());
        if (own != null && own.inForce(now) && !own.revoked()) {
            own.extend(now);
            return own.grant(now);
        }
        boolean revoked = own != null ? own.revoked() : tombstones.revoked(claim.holder());
        if (state != null) {
            advance(state, now, wallMicros);
        }
        return new Decision.Lost(revoked ? LossReason.REVOKED : LossReason.GONE);
    }

    /** Ends the grant, the lock-delay or the place in the queue of this holder id: release and cancel are one verb. */
    public ReleaseResult release(Claim claim, long now, long wallMicros) {
        HolderId holder = claim.holder();
        NameState state = names.get(claim.lockName());
        if (state == null) {
            tombstones.add(holder, false, now);
            return new ReleaseResult.NotHeld(null);
        }
        Holding own = state.holding(holder);
        boolean held = own != null && !own.over(now);
        if (held) {
            state.holdings.remove(own);
            tombstones.addReleased(holder);
        } else {
            state.leave(holder);
            tombstones.add(holder, false, now);
        }
        advance(state, now, wallMicros);
        return held ? released(claim, now) : new ReleaseResult.NotHeld(state.anyHolder(now));
    }

    private ReleaseResult released(Claim claim, long now) {
        Duration standBack = notes.longest(claim, now);
        return standBack.isZero() ? ReleaseResult.Released.INSTANCE : new ReleaseResult.Released(standBack);
    }

    /** Takes the lock from its holders. */
    public RevokeResult revoke(String name, Revocation how, long now, long wallMicros) {
        advance(name, now, wallMicros);
        NameState state = names.get(name);
        if (state == null || state.holdings.isEmpty()) {
            return new RevokeResult.NotHeld();
        }
        if (how == Revocation.AT_LEASE_END) {
            state.holdings.forEach(Holding::revoke);
            return new RevokeResult.Revoked(state.closedFor(now));
        }
        state.holdings.forEach(holding -> tombstones.add(holding.claim.holder(), true, now));
        state.holdings.clear();
        advance(state, now, wallMicros);
        return new RevokeResult.Revoked(Duration.ZERO);
    }

    /** Removes what is over and hands the lock on (L4). */
    public void advance(String name, long now, long wallMicros) {
        NameState state = names.get(name);
        if (state != null) {
            advance(state, now, wallMicros);
        }
    }

    /** When {@link #advance} has to be called next because of a waiter; empty if no claim waits. */
    public OptionalLong nextAdvance(String name, long now) {
        NameState state = names.get(name);
        return state == null ? OptionalLong.empty() : state.nextChange(now);
    }

    /** The first in the queue. */
    public @Nullable Claim firstWaiter(String name) {
        NameState state = names.get(name);
        NameState.Waiter first = state == null ? null : state.first();
        return first == null ? null : first.claim();
    }

    /** What is known of a name, if anything is. */
    public Optional<LockStatus> inspect(String name, long now, long wallMicros) {
        NameState state = names.get(name);
        if (state == null && tokens.last(name) == 0) {
            return Optional.empty();
        }
        return Optional.of(status(state == null ? new NameState(name) : state, now, wallMicros));
    }

    /** The names with this prefix that are held, waited for or in lock-delay, in no order. */
    public List<LockStatus> list(String prefix, long now, long wallMicros) {
        List<LockStatus> found = new ArrayList<>();
        for (NameState state : names.values()) {
            if (state.name.startsWith(prefix)) {
                LockStatus status = status(state, now, wallMicros);
                if (status.held() || status.waiting() > 0 || !status.lockDelay().isZero()) {
                    found.add(status);
                }
            }
        }
        return found;
    }

    /** The names that take room at the moment. */
    public int size() {
        return names.size();
    }

    /** What the transitions since the last call did to waiters that did not ask, in order. */
    public List<Push> takePushes() {
        if (pushes.isEmpty()) {
            return List.of();
        }
        List<Push> taken = pushes;
        pushes = new ArrayList<>();
        return taken;
    }

    /** The answer to a request of this claim that arrived before, if one did; advances on the way. */
    private @Nullable Decision known(Claim claim, long now, long wallMicros) {
        NameState state = names.get(claim.lockName());
        if (tombstones.covers(claim.holder(), now)) {
            return new Decision.Withdrawn(state == null ? FREE : state.obstacle(now));
        }
        if (state == null) {
            return null;
        }
        advance(state, now, wallMicros);
        Holding own = state.holding(claim.holder());
        if (own == null) {
            return tombstones.covers(claim.holder(), now) ? new Decision.Withdrawn(state.obstacle(now)) : null;
        }
        if (own.inForce(now)) {
            return own.grant(now);
        }
        return new Decision.Withdrawn(state.obstacle(now));
    }

    private boolean isFree(NameState state, Claim claim, long now) {
        NameState.Waiter first = state.firstLive(now, pushes);
        return first == null && state.hasRoomFor(claim, now);
    }

    private void advance(NameState state, long now, long wallMicros) {
        Iterator<Holding> holdings = state.holdings.iterator();
        while (holdings.hasNext()) {
            Holding holding = holdings.next();
            if (holding.over(now)) {
                holdings.remove();
                tombstones.add(holding.claim.holder(), holding.revoked(), now);
            }
        }
        NameState.Waiter first = state.firstLive(now, pushes);
        while (first != null && state.hasRoomFor(first.claim(), now)) {
            state.leave(first.claim().holder());
            pushes.add(new Push.Handed(grant(state, first.claim(), now, wallMicros)));
            first = state.firstLive(now, pushes);
        }
        if (state.idle()) {
            names.remove(state.name);
        }
    }

    private Decision.Grant grant(@Nullable NameState known, Claim claim, long now, long wallMicros) {
        String name = claim.lockName();
        NameState state = known;
        if (state == null) {
            state = new NameState(name);
            names.put(name, state);
        }
        int span = tokens.span(name, claim.span(), wallMicros);
        Holding holding = new Holding(claim, tokens.draw(name, span, wallMicros), span, now);
        state.holdings.add(holding);
        return holding.grant(now);
    }

    private LockStatus status(NameState state, long now, long wallMicros) {
        long last = tokens.last(state.name);
        return new LockStatus(
                state.name,
                state.holders(now),
                state.waiting(now),
                state.delayLeft(now),
                state.revoked(now),
                last,
                Duration.ofNanos(Math.max(0, last - wallMicros) * 1000));
    }
}
