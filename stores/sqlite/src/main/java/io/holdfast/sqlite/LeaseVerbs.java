package io.holdfast.sqlite;

import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.Term;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.spi.support.StoredLeases;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The verbs on lease rows, on the connection that they are given.
 *
 * <p><b>Rows.</b> A name has one row. It carries the last token and, inline, the exclusive holder; shared and permit
 * holders have rows of their own beside it. An exclusive acquire or release, the common case, is therefore one
 * statement on one row, committed by itself. Everything else is one short transaction that takes the write lock first,
 * reads the rows of the name, decides in {@link StoredLeases} and writes. {@link SqliteStatement#ACQUIRE_EXCLUSIVE} is the
 * decision of {@link StoredLeases#obstacle} for exclusive claims as one statement.
 *
 * <p><b>Invariants.</b> I1: a grant is answered only after the database returned the claim's own holder id, and
 * committed. I2: {@code closed} of a row is never less than the end of the lease that its holder was told. I3: {@code
 * last} of a name, or of its bucket if it has no row, is at least every token drawn for it. I4: only a renewal by its own
 * holder moves {@code until} of a held lease to later.
 *
 * <p><b>Repeats.</b> The row remembers its exclusive holder after the release, until the name's next grant or sweep: an
 * acquire that is repeated after it is refused. {@link RecentTombstones} remembers the holders before. Released shares,
 * leases that ran out before another claim took the name, and releases that found nothing leave a tombstone in the file
 * (L1).
 *
 * <p><b>Races considered.</b> The time of a single-statement acquire is read before the statement gets the write lock.
 * An old time makes other leases look alive for longer and ends the own lease earlier, so it errs on the safe side, and
 * the holder counts from even before that. A renewal with an old time could revive a lease after other claims, which saw
 * it run out, were granted the name. So renewals read the time while they have the write lock.
 */
final class LeaseVerbs {
    /** How long a note of a waiting client counts (L21). */
    private static final Duration NOTE_LIFE = Duration.ofSeconds(2);

    private static final int TRIES = 3;

    private LeaseVerbs() {}

    /** An exclusive claim. */
    static AcquireResult acquireExclusive(SqliteConnection connection, String name, Claim claim, long sent)
            throws SQLException {
        byte[] holder = StoredLease.bytes(claim.holder());
        for (int tries = 0; tries < TRIES; tries++) {
            Granted granted = takeIfFree(connection, name, holder, claim, sent);
            if (granted != null) {
                return granted;
            }
            Optional<AcquireResult> known =
                    connection.reading(s -> Optional.ofNullable(explain(s, name, holder, claim, sent)));
            if (known.isPresent()) {
                return known.get();
            }
        }
        return StoredLeases.NOT_AGAIN; // given back and taken again between every try and its explanation
    }

    private static @Nullable Granted takeIfFree(
            SqliteConnection connection, String name, byte[] holder, Claim claim, long sent) throws SQLException {
        PreparedStatement statement = connection.statement(SqliteStatement.ACQUIRE_EXCLUSIVE);
        statement.setString(1, name);
        statement.setBytes(2, holder);
        statement.setLong(3, connection.wallMicros());
        statement.setLong(4, connection.leaseNanos());
        statement.setLong(5, claim.ttl().toNanos());
        statement.setLong(6, claim.lockDelay().toNanos());
        statement.setInt(7, claim.span());
        statement.setString(8, claim.clientId());
        statement.setString(9, claim.label());
        statement.setInt(10, LeaseRows.bucket(name));
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return null;
            }
            boolean own = Arrays.equals(row.getBytes(1), holder);
            long token = row.getLong(2);
            int span = row.getInt(3);
            // To the end: only there is the statement committed, and a failed commit must not look like a grant.
            if (row.next() || !own) {
                throw new SQLException("the database returned a row of another holder for lock '" + name + "'");
            }
            return new Granted(token, span, Term.of(sent, claim.ttl()));
        }
    }

    /** Why a claim was not granted; null if nothing is in its way (any more). */
    private static @Nullable AcquireResult explain(
            SqliteConnection connection, String name, byte[] holder, Claim claim, long sent) throws SQLException {
        if (TombstoneRows.of(connection, holder) != TombstoneRows.Found.NONE) {
            return StoredLeases.NOT_AGAIN;
        }
        StoredLeases state = LeaseRows.read(connection, name);
        long now = connection.leaseNanos();
        StoredLease own = state.of(claim.holder());
        if (own != null) {
            return own.runs(now)
                    ? new Granted(own.token(), own.span(), new Term(sent, own.until() - now))
                    : StoredLeases.NOT_AGAIN; // it had the lock and has it no more: a late repeat
        }
        return state.obstacle(claim, now);
    }

    /** A shared or permit claim. */
    static AcquireResult acquireShare(SqliteConnection connection, String name, Claim claim, long sent)
            throws SQLException {
        byte[] holder = StoredLease.bytes(claim.holder());
        return connection.writing(s -> {
            AcquireResult known = explain(s, name, holder, claim, sent);
            return known != null ? known : addShare(s, name, holder, claim, sent);
        });
    }

    private static Granted addShare(SqliteConnection connection, String name, byte[] holder, Claim claim, long sent)
            throws SQLException {
        PreparedStatement draw = connection.statement(SqliteStatement.DRAW_TOKENS);
        draw.setString(1, name);
        draw.setLong(2, connection.wallMicros());
        draw.setInt(3, claim.span());
        draw.setInt(4, LeaseRows.bucket(name));
        long token;
        int span;
        try (ResultSet row = draw.executeQuery()) {
            row.next();
            token = row.getLong(1);
            span = row.getInt(2);
        }
        long until = connection.leaseNanos() + claim.ttl().toNanos();
        PreparedStatement add = connection.statement(SqliteStatement.ADD_SHARE);
        add.setString(1, name);
        add.setBytes(2, holder);
        add.setString(3, LeaseRows.letter(claim.mode()));
        add.setLong(4, until);
        add.setLong(5, until + claim.lockDelay().toNanos());
        add.setLong(6, token);
        add.setInt(7, span);
        add.setLong(8, claim.ttl().toNanos());
        add.setString(9, claim.clientId());
        add.setString(10, claim.label());
        add.executeUpdate();
        return new Granted(token, span, Term.of(sent, claim.ttl()));
    }

    /** One renewal, inside a write transaction that began before {@code now} was read. */
    static RenewResult renew(SqliteConnection connection, String name, Claim claim, long now, long sent)
            throws SQLException {
        PreparedStatement statement = connection.statement(
                claim.mode() == Mode.EXCLUSIVE ? SqliteStatement.RENEW_EXCLUSIVE : SqliteStatement.RENEW_SHARE);
        byte[] holder = StoredLease.bytes(claim.holder());
        statement.setString(1, name);
        statement.setBytes(2, holder);
        statement.setLong(3, now);
        try (ResultSet row = statement.executeQuery()) {
            if (row.next() && Arrays.equals(row.getBytes(1), holder)) {
                return new RenewResult.Renewed(new Term(sent, row.getLong(2)));
            }
        }
        StoredLease own = LeaseRows.read(connection, name).of(claim.holder());
        boolean revoked =
                own == null ? TombstoneRows.of(connection, holder) == TombstoneRows.Found.REVOKED : own.revoked();
        return new RenewResult.Lost(revoked ? LossReason.REVOKED : LossReason.GONE);
    }

    /** Gives a lock back. */
    static ReleaseResult release(SqliteConnection connection, String name, Claim claim) throws SQLException {
        byte[] holder = StoredLease.bytes(claim.holder());
        if (claim.mode() != Mode.EXCLUSIVE) {
            return connection.writing(s -> {
                ReleaseResult.Released released = gaveBack(s, SqliteStatement.RELEASE_SHARE, name, claim);
                if (released == null) {
                    return notHeld(s, name, holder, claim);
                }
                TombstoneRows.ended(s, holder);
                return released;
            });
        }
        ReleaseResult.Released released = gaveBack(connection, SqliteStatement.RELEASE_EXCLUSIVE, name, claim);
        return released != null ? released : connection.writing(s -> notHeld(s, name, holder, claim));
    }

    /** Null if the holder did not have it. The answer is read to its end: only there is the statement committed. */
    private static ReleaseResult.@Nullable Released gaveBack(
            SqliteConnection connection, SqliteStatement which, String name, Claim claim) throws SQLException {
        byte[] holder = StoredLease.bytes(claim.holder());
        PreparedStatement statement = connection.statement(which);
        statement.setString(1, name);
        statement.setBytes(2, holder);
        statement.setLong(3, connection.leaseNanos());
        statement.setString(4, claim.clientId());
        ReleaseResult.Released released = null;
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                if (Arrays.equals(row.getBytes(1), holder)) {
                    released = new ReleaseResult.Released(Duration.ofNanos(row.getLong(2)));
                }
            }
        }
        return released;
    }

    /** Notes that the client of a refused claim waits, for two seconds; a note keeps no claim out (L21). */
    static void note(SqliteConnection connection, String name, Claim claim) throws SQLException {
        PreparedStatement statement = connection.statement(SqliteStatement.NOTE);
        statement.setString(1, name);
        statement.setString(2, claim.clientId());
        statement.setLong(3, connection.leaseNanos() + NOTE_LIFE.toNanos());
        statement.setLong(4, claim.pause().toNanos());
        statement.executeUpdate();
    }

    private static ReleaseResult notHeld(SqliteConnection connection, String name, byte[] holder, Claim claim)
            throws SQLException {
        StoredLeases state = LeaseRows.read(connection, name);
        StoredLease own = state.of(claim.holder());
        if (own == null || own.state() != StoredLease.RELEASED) {
            TombstoneRows.ended(connection, holder);
        }
        return new ReleaseResult.NotHeld(state.taker(connection.leaseNanos()));
    }

    /** Takes a lock from its holders. Inside a write transaction. */
    static RevokeResult revoke(SqliteConnection connection, String name, Revocation how) throws SQLException {
        long now = connection.leaseNanos();
        List<StoredLease> closing = new ArrayList<>();
        long opens = now;
        for (StoredLease row : LeaseRows.read(connection, name).leases()) {
            if (row.closes(now)) {
                closing.add(row);
                opens = Math.max(opens, row.closed());
            }
        }
        if (closing.isEmpty()) {
            return new RevokeResult.NotHeld();
        }
        boolean atOnce = how == Revocation.NOW;
        for (StoredLease row : closing) {
            if (atOnce && row.holder() != null) {
                TombstoneRows.revoked(connection, StoredLease.bytes(row.holder()));
            }
            mark(
                    connection,
                    name,
                    row,
                    atOnce ? StoredLease.OPENED : StoredLease.REVOKED,
                    atOnce ? now : row.until(),
                    atOnce ? 0 : row.closed());
        }
        return new RevokeResult.Revoked(atOnce ? Duration.ZERO : Duration.ofNanos(opens - now));
    }

    private static void mark(
            SqliteConnection connection, String name, StoredLease row, int state, long until, long closed)
            throws SQLException {
        boolean exclusive = row.mode() == Mode.EXCLUSIVE;
        PreparedStatement statement =
                connection.statement(exclusive ? SqliteStatement.REVOKE_EXCLUSIVE : SqliteStatement.REVOKE_SHARE);
        int at = 1;
        statement.setString(at++, name);
        if (!exclusive && row.holder() != null) {
            statement.setBytes(at++, StoredLease.bytes(row.holder()));
        }
        statement.setInt(at++, state);
        statement.setLong(at++, until);
        statement.setLong(at, closed);
        statement.executeUpdate();
    }
}
