package io.holdfast.jdbc;

import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.Term;
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
 * The verbs on lease rows, on the session they are given.
 *
 * <p><b>Rows.</b> A name has one row. It carries the last token and, inline, the exclusive holder; shared and permit
 * holders have rows of their own beside it. An exclusive acquire or release, the common case, is therefore one
 * statement on one row, committed by itself. Everything else is one short transaction that takes the write lock first,
 * reads the rows of the name, decides in {@link NameState} and writes.
 *
 * <p><b>Invariants.</b> I1: a grant is answered only after the database gave the own holder id back, and committed. I2:
 * {@code closed} of a row is never less than the end of the lease that its holder was told. I3: {@code last} of a name,
 * or of its bucket if it has no row, is at least every token drawn for it. I4: nothing but a renewal by its own holder
 * moves {@code until} of a held lease to later.
 *
 * <p><b>Repeats.</b> The row remembers its exclusive holder after the release, until the name's next grant or sweep:
 * an acquire that is repeated after it is refused. {@link RecentReleases} remembers those before. Released shares, leases
 * that ran out before somebody else took the name, and releases that found nothing leave a tombstone (L1).
 *
 * <p><b>Races considered.</b> The time of a single-statement acquire is read before the statement gets the write lock.
 * An old time makes others look alive for longer and the own lease end earlier, so it errs on the safe side, and the
 * holder counts from even before that. A renewal with an old time could revive a lease after others, seeing it run out,
 * were granted the name: renewals read the time while they have the write lock.
 */
final class RowVerbs {
    /** To a claim whose holder id had its time: it is not granted, and nobody is in its way. */
    static final Refused NOBODYS = new Refused(null, null, false, null);

    private static final int TRIES = 3;

    private RowVerbs() {}

    /** An exclusive claim. */
    static AcquireResult acquireExclusive(SqlSession session, String name, Claim claim, long sent) throws SQLException {
        byte[] holder = LeaseRow.bytes(claim.holder());
        for (int tries = 0; tries < TRIES; tries++) {
            Granted granted = takeIfFree(session, name, holder, claim, sent);
            if (granted != null) {
                return granted;
            }
            Optional<AcquireResult> known =
                    session.reading(s -> Optional.ofNullable(explain(s, name, holder, claim, sent)));
            if (known.isPresent()) {
                return known.get();
            }
        }
        return NOBODYS; // given back and taken again between every try and its explanation
    }

    private static @Nullable Granted takeIfFree(SqlSession session, String name, byte[] holder, Claim claim, long sent)
            throws SQLException {
        PreparedStatement statement = session.statement(LeaseStatement.ACQUIRE_EXCLUSIVE);
        statement.setString(1, name);
        statement.setBytes(2, holder);
        statement.setLong(3, session.dialect().wallMicros(session));
        statement.setLong(4, session.dialect().leaseNanos(session));
        statement.setLong(5, claim.ttl().toNanos());
        statement.setLong(6, claim.lockDelay().toNanos());
        statement.setInt(7, claim.span());
        statement.setString(8, claim.clientId());
        statement.setString(9, claim.label());
        statement.setInt(10, NameSpace.bucket(name));
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
            SqlSession session, String name, byte[] holder, Claim claim, long sent) throws SQLException {
        if (Tombstone.of(session, holder) != null) {
            return NOBODYS;
        }
        NameState state = NameState.read(session, name);
        long now = session.dialect().leaseNanos(session);
        LeaseRow own = state.of(claim.holder());
        if (own != null) {
            return own.runs(now)
                    ? new Granted(own.token(), own.span(), new Term(sent, own.until() - now))
                    : NOBODYS; // it had the lock and has it no more: a late repeat
        }
        return state.obstacle(claim, now);
    }

    /** A shared or permit claim. */
    static AcquireResult acquireShare(SqlSession session, String name, Claim claim, long sent) throws SQLException {
        byte[] holder = LeaseRow.bytes(claim.holder());
        return session.writing(name, s -> {
            AcquireResult known = explain(s, name, holder, claim, sent);
            return known != null ? known : addShare(s, name, holder, claim, sent);
        });
    }

    private static Granted addShare(SqlSession session, String name, byte[] holder, Claim claim, long sent)
            throws SQLException {
        PreparedStatement draw = session.statement(LeaseStatement.DRAW_TOKENS);
        draw.setString(1, name);
        draw.setLong(2, session.dialect().wallMicros(session));
        draw.setInt(3, claim.span());
        draw.setInt(4, NameSpace.bucket(name));
        long token;
        int span;
        try (ResultSet row = draw.executeQuery()) {
            row.next();
            token = row.getLong(1);
            span = row.getInt(2);
        }
        long until = session.dialect().leaseNanos(session) + claim.ttl().toNanos();
        PreparedStatement add = session.statement(LeaseStatement.ADD_SHARE);
        add.setString(1, name);
        add.setBytes(2, holder);
        add.setString(3, LeaseRow.letter(claim.mode()));
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
    static RenewResult renew(SqlSession session, String name, Claim claim, long now, long sent) throws SQLException {
        PreparedStatement statement = session.statement(
                claim.mode() == Mode.EXCLUSIVE ? LeaseStatement.RENEW_EXCLUSIVE : LeaseStatement.RENEW_SHARE);
        byte[] holder = LeaseRow.bytes(claim.holder());
        statement.setString(1, name);
        statement.setBytes(2, holder);
        statement.setLong(3, now);
        try (ResultSet row = statement.executeQuery()) {
            if (row.next() && Arrays.equals(row.getBytes(1), holder)) {
                return new RenewResult.Renewed(new Term(sent, row.getLong(2)));
            }
        }
        LeaseRow own = NameState.read(session, name).of(claim.holder());
        boolean revoked = own == null ? Tombstone.of(session, holder) == Tombstone.REVOKED : own.revoked();
        return new RenewResult.Lost(revoked ? LossReason.REVOKED : LossReason.GONE);
    }

    /** Gives a lock back. */
    static ReleaseResult release(SqlSession session, String name, Claim claim) throws SQLException {
        byte[] holder = LeaseRow.bytes(claim.holder());
        if (claim.mode() != Mode.EXCLUSIVE) {
            return session.writing(name, s -> {
                ReleaseResult.Released released = gaveBack(s, LeaseStatement.RELEASE_SHARE, name, claim);
                if (released == null) {
                    return notHeld(s, name, holder, claim);
                }
                Tombstone.ENDED.bury(s, holder);
                return released;
            });
        }
        ReleaseResult.Released released = gaveBack(session, LeaseStatement.RELEASE_EXCLUSIVE, name, claim);
        return released != null ? released : session.writing(name, s -> notHeld(s, name, holder, claim));
    }

    /** Null if the holder did not have it. The answer is read to its end: only there is the statement committed. */
    private static ReleaseResult.@Nullable Released gaveBack(
            SqlSession session, LeaseStatement which, String name, Claim claim) throws SQLException {
        byte[] holder = LeaseRow.bytes(claim.holder());
        PreparedStatement statement = session.statement(which);
        statement.setString(1, name);
        statement.setBytes(2, holder);
        statement.setLong(3, session.dialect().leaseNanos(session));
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
    static void note(SqlSession session, String name, Claim claim) throws SQLException {
        PreparedStatement statement = session.statement(LeaseStatement.NOTE);
        statement.setString(1, name);
        statement.setString(2, claim.clientId());
        statement.setLong(3, session.dialect().leaseNanos(session) + WaitNotes.LIFE.toNanos());
        statement.setLong(4, claim.pause().toNanos());
        statement.executeUpdate();
    }

    private static ReleaseResult notHeld(SqlSession session, String name, byte[] holder, Claim claim)
            throws SQLException {
        NameState state = NameState.read(session, name);
        LeaseRow own = state.of(claim.holder());
        if (own == null || own.state() != LeaseRow.RELEASED) {
            Tombstone.ENDED.bury(session, holder);
        }
        return new ReleaseResult.NotHeld(state.taker(session.dialect().leaseNanos(session)));
    }

    /** Takes a lock from its holders. Inside a write transaction. */
    static RevokeResult revoke(SqlSession session, String name, Revocation how) throws SQLException {
        long now = session.dialect().leaseNanos(session);
        List<LeaseRow> closing = new ArrayList<>();
        long opens = now;
        for (LeaseRow row : NameState.read(session, name).rows()) {
            if (row.closes(now)) {
                closing.add(row);
                opens = Math.max(opens, row.closed());
            }
        }
        if (closing.isEmpty()) {
            return new RevokeResult.NotHeld();
        }
        boolean atOnce = how == Revocation.NOW;
        for (LeaseRow row : closing) {
            if (atOnce && row.holder() != null) {
                Tombstone.REVOKED.bury(session, LeaseRow.bytes(row.holder()));
            }
            mark(
                    session,
                    name,
                    row,
                    atOnce ? LeaseRow.OPENED : LeaseRow.REVOKED,
                    atOnce ? now : row.until(),
                    atOnce ? 0 : row.closed());
        }
        return new RevokeResult.Revoked(atOnce ? Duration.ZERO : Duration.ofNanos(opens - now));
    }

    private static void mark(SqlSession session, String name, LeaseRow row, int state, long until, long closed)
            throws SQLException {
        boolean exclusive = row.mode() == Mode.EXCLUSIVE;
        PreparedStatement statement =
                session.statement(exclusive ? LeaseStatement.REVOKE_EXCLUSIVE : LeaseStatement.REVOKE_SHARE);
        int at = 1;
        statement.setString(at++, name);
        if (!exclusive && row.holder() != null) {
            statement.setBytes(at++, LeaseRow.bytes(row.holder()));
        }
        statement.setInt(at++, state);
        statement.setLong(at++, until);
        statement.setLong(at, closed);
        statement.executeUpdate();
    }
}
