package io.holdfast.etcd.line;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Refused;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one lock at one revision, and the rule that says which of its claims hold the lock. Pure.
 *
 * <p>Claims are ordered by their create revisions. The holders are the longest head of the line whose claims can hold
 * together: one exclusive claim, or only shared claims, or permits each of which has fewer claims before it than it
 * allows. No further claim becomes a holder while a lock-delay is open, that is, while a lock-delay exists whose claim
 * is no longer in the line (L10).
 *
 * @param entries the whole line, the oldest claim first
 * @param delays the lock-delays that holders announced
 */
public record Line(List<Entry> entries, List<LockDelay> delays) {
    /** A line without claims. */
    public static final Line EMPTY = new Line(List.of(), List.of());

    /** Why a claim does not hold yet. */
    public sealed interface Obstacle {
        /** This claim must leave. */
        record Claimed(Entry by) implements Obstacle {}

        /** Any one of the claims before must leave. */
        record Crowded(Entry first) implements Obstacle {}

        /** A lock-delay must end. */
        record Delayed() implements Obstacle {}
    }

    /**
     * The claims that hold. While the lock-delay of a lost shared claim is open, the other shared claims still hold.
     */
    public List<Entry> holders() {
        boolean closed = delays.stream().anyMatch(delay -> isOpen(delay) && delay.mode() == Mode.EXCLUSIVE);
        return closed ? List.of() : entries.subList(0, heads());
    }

    /** The first holder, for answers to users; null if no claim holds. */
    public @Nullable Holder firstHolder(Tokens tokens) {
        List<Entry> holders = holders();
        return holders.isEmpty()
                ? null
                : holders.get(0).asHolder(tokens, holders.get(0).claim().ttl());
    }

    /** The refusal of {@code claim}, which may itself be in the line. */
    public Refused refusal(Claim claim, Tokens tokens) {
        Entry first = holders().stream()
                .filter(entry -> !entry.holder().equals(claim.holder()))
                .findFirst()
                .orElse(null);
        return new Refused(
                first == null ? null : first.asHolder(tokens, first.claim().ttl()),
                null,
                first == null && !openDelays().isEmpty(),
                null);
    }

    /** The lock-delays that keep the lock closed. */
    public List<LockDelay> openDelays() {
        return delays.stream().filter(this::isOpen).toList();
    }

    /** What this claim waits for; null if it holds. The claim must be in the line. */
    public @Nullable Obstacle before(HolderId holder) {
        int place = 0;
        while (!entries.get(place).holder().equals(holder)) {
            place++;
        }
        return heads() > place
                ? delayed()
                : blocker(place, entries.get(place).claim().mode());
    }

    /** What a claim that came now would wait for; null if it would hold. */
    public @Nullable Obstacle before(Mode mode, int permits) {
        int place = entries.size();
        return heads() == place && fits(mode, permits, place) ? delayed() : blocker(place, mode);
    }

    /**
     * The only claim before this one, if nothing else is in its way and that claim leaves no lock-delay behind: once it
     * has left, this claim holds, whatever was put behind it. Null otherwise. Only for a line that was read from its
     * beginning.
     */
    public @Nullable Entry soleBefore(HolderId holder) {
        boolean second = entries.size() > 1 && entries.get(1).holder().equals(holder);
        return second && delays.isEmpty() && entries.get(0).claim().lockDelay().isZero() ? entries.get(0) : null;
    }

    /** The claim of this holder; null if it is not in the line. */
    public @Nullable Entry of(HolderId holder) {
        for (Entry entry : entries) {
            if (entry.holder().equals(holder)) {
                return entry;
            }
        }
        return null;
    }

    /** The lock-delay that this holder announced; null if there is none. */
    public @Nullable LockDelay delayOf(HolderId holder) {
        for (LockDelay delay : delays) {
            if (delay.holder().equals(holder)) {
                return delay;
            }
        }
        return null;
    }

    private int heads() {
        int count = 0;
        while (count < entries.size()
                && fits(
                        entries.get(count).claim().mode(),
                        entries.get(count).claim().permits(),
                        count)) {
            count++;
        }
        return count;
    }

    /** Whether a claim can hold together with all claims before this place, which hold. */
    private boolean fits(Mode mode, int permits, int place) {
        if (place == 0) {
            return true;
        }
        return mode == entries.get(place - 1).claim().mode()
                && switch (mode) {
                    case EXCLUSIVE -> false;
                    case SHARED -> true;
                    case PERMIT -> place < permits;
                };
    }

    private boolean isOpen(LockDelay delay) {
        return of(delay.holder()) == null;
    }

    private @Nullable Obstacle delayed() {
        return openDelays().isEmpty() ? null : new Obstacle.Delayed();
    }

    /** A claim waits for one other claim, except a permit: it can hold when any one of the permits before it leaves. */
    private Obstacle blocker(int place, Mode mode) {
        for (int i = place - 1; i >= 0; i--) {
            if (mode == Mode.EXCLUSIVE || entries.get(i).claim().mode() != mode) {
                return new Obstacle.Claimed(entries.get(i));
            }
        }
        return new Obstacle.Crowded(entries.get(0));
    }
}
