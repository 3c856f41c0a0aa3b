package io.holdfast.sql;

import io.holdfast.LockStatus;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.Term;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.spi.support.StoredLeases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What each verb makes of a row: pure functions of the row, the claim and the database's time. {@link LeaseRows} reads
 * the row, asks here and writes the answer if nobody has written in between; the single-statement verbs of {@link
 * PostgresRows} are the common cases of the same rules in SQL.
 *
 * <p><b>Invariants.</b> I1: {@code closed} of a holder is never less than the end of the lease that it was told. I2:
 * {@code last} is at least every token drawn for the name while its row lives; a row is swept only when the clock is a
 * day past it (N4). I3: nothing but a renewal by its own holder moves the end of a held lease to later. I4: a holder
 * that ran out or was never there leaves a grave for ten seconds (L1); the last one that released stays in the row.
 *
 * <p>The time was read before the row was written. An old time makes others look alive for longer and the own lease
 * end earlier; and a renewal cannot revive what others saw run out, because they would have written the row.
 */
final class RowRules {
    private static final long AHEAD_MICROS = 100_000;
    private static final long START_MICROS = 200_000;
    private static final int MOST_GRAVES = 256;

    private RowRules() {}

    /** A claim. */
    static RowChange<AcquireResult> acquire(LockRow row, Claim claim, long now, long sent) {
        if (row.tombstone(claim.holder(), now) != null) {
            return RowChange.none(StoredLeases.NOT_AGAIN);
        }
        StoredLeases state = row.state();
        StoredLease own = state.of(claim.holder());
        if (own != null) {
            return RowChange.none(
                    own.runs(now)
                            ? new Granted(own.token(), own.span(), new Term(sent, own.until() - now))
                            : StoredLeases.NOT_AGAIN);
        }
        Refused obstacle = state.obstacle(claim, now);
        if (obstacle != null) {
            return RowChange.none(obstacle);
        }
        long wall = now / 1000;
        long token = row.last() == 0 ? wall + START_MICROS : Math.max(row.last() + 1, wall);
        int span = row.last() != 0 && row.last() - wall <= AHEAD_MICROS ? claim.span() : 1;
        long until = now + claim.ttl().toNanos();
        StoredLease granted = new StoredLease(
                claim.holder(),
                claim.mode(),
                StoredLease.HELD,
                until,
                until + claim.lockDelay().toNanos(),
                token,
                span,
                claim.ttl().toNanos(),
                claim.clientId(),
                claim.label());
        List<Grave> graves = graves(row, now);
        if (row.exclusive() != null && row.exclusive().state() < StoredLease.RELEASED) {
            bury(graves, row.exclusive(), now);
        }
        List<StoredLease> shares = shares(row, now);
        boolean exclusive = claim.mode() == Mode.EXCLUSIVE;
        if (!exclusive) {
            shares.add(granted);
        }
        LockRow next =
                new LockRow(row.name(), row.stamp(), token + span - 1, exclusive ? granted : null, shares, graves);
        return RowChange.write(new Granted(token, span, Term.of(sent, claim.ttl())), next);
    }

    /** A release by holder id. */
    static RowChange<ReleaseResult> release(LockRow row, Claim claim, long now) {
        StoredLeases state = row.state();
        StoredLease own = state.of(claim.holder());
        boolean held = own != null && own.closes(now);
        List<Grave> graves = graves(row, now);
        if (!held && (own == null || own.state() != StoredLease.RELEASED)) {
            graves.add(new Grave(claim.holder(), Tombstone.ENDED, now + Tombstone.LIFE.toNanos()));
        }
        List<StoredLease> shares = shares(row, now);
        StoredLease exclusive = row.exclusive();
        if (held && own != null) {
            shares.remove(own);
            if (own.equals(exclusive)) {
                exclusive = ended(own, StoredLease.RELEASED, now);
            }
        }
        LockRow next = new LockRow(row.name(), row.stamp(), row.last(), exclusive, shares, graves);
        return held
                ? RowChange.open(ReleaseResult.Released.INSTANCE, next)
                : RowChange.write(new ReleaseResult.NotHeld(state.taker(now)), next);
    }

    /** A renewal: never creates, never revives (U10). */
    static RowChange<RenewResult> renew(LockRow row, Claim claim, long now, long sent) {
        StoredLease own = row.state().of(claim.holder());
        if (own == null || !own.runs(now) || own.state() != StoredLease.HELD) {
            boolean revoked = own == null ? row.tombstone(claim.holder(), now) == Tombstone.REVOKED : own.revoked();
            return RowChange.none(new RenewResult.Lost(revoked ? LossReason.REVOKED : LossReason.GONE));
        }
        long until = now + own.ttlNanos();
        StoredLease longer = own.with(own.state(), until, until + (own.closed() - own.until()));
        return RowChange.write(
                new RenewResult.Renewed(new Term(sent, own.ttlNanos())), replaced(row, own, longer, now));
    }

    /** Takes the name from its holders. */
    static RowChange<RevokeResult> revoke(LockRow row, Revocation how, long now) {
        boolean atOnce = how == Revocation.NOW;
        List<Grave> graves = graves(row, now);
        LockRow next = row;
        long opens = now;
        boolean any = false;
        for (StoredLease held : row.state().leases()) {
            if (held.closes(now)) {
                any = true;
                opens = Math.max(opens, held.closed());
                HolderId holder = held.holder();
                if (atOnce && holder != null) {
                    graves.add(new Grave(holder, Tombstone.REVOKED, now + Tombstone.LIFE.toNanos()));
                }
                next = replaced(
                        next,
                        held,
                        atOnce
                                ? ended(held, StoredLease.OPENED, now)
                                : held.with(StoredLease.REVOKED, held.until(), held.closed()),
                        now);
            }
        }
        if (!any) {
            return RowChange.none(new RevokeResult.NotHeld());
        }
        next = new LockRow(next.name(), next.stamp(), next.last(), next.exclusive(), next.shares(), graves);
        return atOnce
                ? RowChange.open(new RevokeResult.Revoked(Duration.ZERO), next)
                : RowChange.write(new RevokeResult.Revoked(Duration.ofNanos(opens - now)), next);
    }

    /** The name for people. */
    static LockStatus status(LockRow row, String plainName, long now) {
        return row.state().status(plainName, row.last(), now, now / 1000);
    }

    private static LockRow replaced(LockRow row, StoredLease old, StoredLease by, long now) {
        List<StoredLease> shares = new ArrayList<>(row.shares());
        shares.replaceAll(share -> share.equals(old) ? by : share);
        return new LockRow(
                row.name(),
                row.stamp(),
                row.last(),
                old.equals(row.exclusive()) ? by : row.exclusive(),
                shares,
                graves(row, now));
    }

    private static void bury(List<Grave> graves, @Nullable StoredLease ended, long now) {
        HolderId holder = ended == null ? null : ended.holder();
        if (ended != null && holder != null && LockRow.remembered(ended) > now) {
            graves.add(new Grave(
                    holder, ended.revoked() ? Tombstone.REVOKED : Tombstone.ENDED, LockRow.remembered(ended)));
        }
    }

    private static List<Grave> graves(LockRow row, long now) {
        List<Grave> kept = new ArrayList<>(row.graves());
        kept.removeIf(grave -> grave.until() <= now);
        // The row stays small under a storm of failed requests; those forgotten first are those that end first.
        return kept.size() < MOST_GRAVES
                ? kept
                : new ArrayList<>(kept.subList(kept.size() - MOST_GRAVES + 1, kept.size()));
    }

    private static List<StoredLease> shares(LockRow row, long now) {
        List<StoredLease> kept = new ArrayList<>(row.shares());
        kept.removeIf(share -> LockRow.remembered(share) <= now);
        return kept;
    }

    private static StoredLease ended(StoredLease held, int state, long now) {
        return held.with(state, now, 0);
    }
}
