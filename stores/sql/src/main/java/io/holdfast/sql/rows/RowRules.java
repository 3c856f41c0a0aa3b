package io.holdfast.sql.rows;

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
import io.holdfast.spi.support.TokenRule;
import io.holdfast.spi.support.Tombstones;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What each verb makes of a row: pure functions of the row, the claim and the database's time. {@link LeaseRowStore} reads
 * the row, asks here and writes the answer if no other connection has written in between. The single-statement verbs of
 * some databases are the common cases of the same rules in SQL.
 *
 * <p><b>Invariants.</b> I1: {@code closed} of a holder is never less than the end of the lease that it was told. I2:
 * {@code last} is at least every token drawn for the name while its row lives; a row is swept only when the clock is a
 * day past it (N4). I3: only a renewal by its own holder moves the end of a held lease to later. I4: a holder whose lease
 * ran out, or which a release did not find, leaves a tombstone for ten seconds (L1); the last holder that released stays
 * in the row.
 *
 * <p>The time was read before the row was written. An old time makes other leases look alive for longer and ends the own
 * lease earlier. A renewal cannot revive a lease that another claim saw run out, because that claim would have written
 * the row.
 */
final class RowRules {
    private static final int MOST_TOMBSTONES = 256;

    private RowRules() {}

    /** A claim. */
    static RowChange<AcquireResult> acquire(LockRow row, Claim claim, long now, long sent) {
        if (row.tombstone(claim.holder(), now) != null) {
            return RowChange.none(StoredLeases.NOT_AGAIN);
        }
        StoredLeases leases = row.leases();
        StoredLease own = leases.of(claim.holder());
        if (own != null) {
            return RowChange.none(
                    own.runs(now)
                            ? new Granted(own.token(), own.span(), new Term(sent, own.until() - now))
                            : StoredLeases.NOT_AGAIN);
        }
        Refused obstacle = leases.obstacle(claim, now);
        if (obstacle != null) {
            return RowChange.none(obstacle);
        }
        long wall = now / 1000;
        long base = TokenRule.base(row.last(), wall);
        long token = TokenRule.first(base, wall);
        int span = TokenRule.span(base, claim.span(), wall);
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
        List<Tombstone> tombstones = tombstones(row, now);
        if (row.exclusive() != null && row.exclusive().state() < StoredLease.RELEASED) {
            remember(tombstones, row.exclusive(), now);
        }
        List<StoredLease> shares = shares(row, now);
        boolean exclusive = claim.mode() == Mode.EXCLUSIVE;
        if (!exclusive) {
            shares.add(granted);
        }
        LockRow next =
                new LockRow(row.name(), row.stamp(), token + span - 1, exclusive ? granted : null, shares, tombstones);
        return RowChange.write(new Granted(token, span, Term.of(sent, claim.ttl())), next);
    }

    /** A release by holder id. */
    static RowChange<ReleaseResult> release(LockRow row, Claim claim, long now) {
        StoredLeases leases = row.leases();
        StoredLease own = leases.of(claim.holder());
        boolean held = own != null && own.closes(now);
        List<Tombstone> tombstones = tombstones(row, now);
        if (!held && (own == null || own.state() != StoredLease.RELEASED)) {
            tombstones.add(new Tombstone(claim.holder(), false, now + Tombstones.LIFE.toNanos()));
        }
        List<StoredLease> shares = shares(row, now);
        StoredLease exclusive = row.exclusive();
        if (held && own != null) {
            shares.remove(own);
            if (own.equals(exclusive)) {
                exclusive = ended(own, StoredLease.RELEASED, now);
            }
        }
        LockRow next = new LockRow(row.name(), row.stamp(), row.last(), exclusive, shares, tombstones);
        return held
                ? RowChange.open(ReleaseResult.Released.INSTANCE, next)
                : RowChange.write(new ReleaseResult.NotHeld(leases.taker(now)), next);
    }

    /** A renewal: never creates, never revives (U10). */
    static RowChange<RenewResult> renew(LockRow row, Claim claim, long now, long sent) {
        StoredLease own = row.leases().of(claim.holder());
        if (own == null || !own.runs(now) || own.state() != StoredLease.HELD) {
            Tombstone tombstone = row.tombstone(claim.holder(), now);
            boolean revoked = own == null ? tombstone != null && tombstone.revoked() : own.revoked();
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
        List<Tombstone> tombstones = tombstones(row, now);
        LockRow next = row;
        long opens = now;
        boolean any = false;
        for (StoredLease held : row.leases().leases()) {
            if (held.closes(now)) {
                any = true;
                opens = Math.max(opens, held.closed());
                HolderId holder = held.holder();
                if (atOnce && holder != null) {
                    tombstones.add(new Tombstone(holder, true, now + Tombstones.LIFE.toNanos()));
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
        next = new LockRow(next.name(), next.stamp(), next.last(), next.exclusive(), next.shares(), tombstones);
        return atOnce
                ? RowChange.open(new RevokeResult.Revoked(Duration.ZERO), next)
                : RowChange.write(new RevokeResult.Revoked(Duration.ofNanos(opens - now)), next);
    }

    /** The name for people. */
    static LockStatus status(LockRow row, String plainName, long now) {
        return row.leases().status(plainName, row.last(), now, now / 1000);
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
                tombstones(row, now));
    }

    private static void remember(List<Tombstone> tombstones, StoredLease ended, long now) {
        HolderId holder = ended.holder();
        if (holder != null && LockRow.remembered(ended) > now) {
            tombstones.add(new Tombstone(holder, ended.revoked(), LockRow.remembered(ended)));
        }
    }

    private static List<Tombstone> tombstones(LockRow row, long now) {
        List<Tombstone> kept = new ArrayList<>(row.tombstones());
        kept.removeIf(tombstone -> tombstone.until() <= now);
        // The row stays small under a storm of failed requests: the first to be forgotten are the first to end.
        return kept.size() < MOST_TOMBSTONES
                ? kept
                : new ArrayList<>(kept.subList(kept.size() - MOST_TOMBSTONES + 1, kept.size()));
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
