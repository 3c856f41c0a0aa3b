package io.holdfast.sql.rows;

import io.holdfast.Mode;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Term;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.sql.connection.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One batch of renewals, on one connection. Exclusive leases are renewed together where the database can do that. The
 * others are renewed one by one, and so are those whose rows another connection had locked. Used by one thread.
 */
final class RenewalBatch {
    private static final int TRIES = 4;

    private final LeaseRows rows;
    private final NameSpace names;
    private final List<Claim> claims;
    private final long sent;
    private final @Nullable RenewResult[] results;
    private final List<Integer> pending = new ArrayList<>();

    /** For claims whose renewal was sent at this time. */
    RenewalBatch(LeaseRows rows, NameSpace names, List<Claim> claims, long sent) {
        this.rows = rows;
        this.names = names;
        this.claims = claims;
        this.sent = sent;
        this.results = new RenewResult[claims.size()];
        for (int i = 0; i < claims.size(); i++) {
            pending.add(i);
        }
    }

    /** Renews. The answers are in the order of the claims. */
    List<RenewResult> run(Connection connection) throws SQLException {
        for (int tries = 1; !pending.isEmpty() && tries <= TRIES; tries++) {
            if (tries > 1) {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 8_000_000));
            }
            together(connection);
            if (!pending.isEmpty()) {
                oneByOne(connection);
            }
        }
        List<RenewResult> all = new ArrayList<>(results.length);
        for (RenewResult result : results) {
            all.add(
                    result != null
                            ? result
                            : new RenewResult.Unanswered(new StoreUnavailableException(
                                    "another connection keeps the row of this lock locked", false, null)));
        }
        return all;
    }

    private void together(Connection connection) throws SQLException {
        List<Claim> exclusive = pending.stream()
                .map(claims::get)
                .filter(claim -> claim.mode() == Mode.EXCLUSIVE)
                .toList();
        if (exclusive.isEmpty()) {
            return;
        }
        List<String> full =
                exclusive.stream().map(claim -> names.full(claim.lockName())).toList();
        Map<HolderId, Long> extended = rows.extend(connection, full, exclusive);
        pending.removeIf(i -> {
            Long ttl = extended.get(claims.get(i).holder());
            if (ttl != null) {
                results[i] = new RenewResult.Renewed(new Term(sent, ttl));
            }
            return ttl != null;
        });
    }

    private void oneByOne(Connection connection) throws SQLException {
        List<String> full = pending.stream().map(this::name).distinct().toList();
        List<RowRead> reads = rows.read(connection, full);
        for (Integer i : List.copyOf(pending)) {
            int at = full.indexOf(name(i));
            RowRead read = reads.get(at);
            RowChange<RenewResult> change = RowRules.renew(read.row(), claims.get(i), read.now(), sent);
            LockRow next = change.next();
            if (next == null || written(connection, next, read)) {
                results[i] = change.answer();
                pending.remove(i);
                reads = next == null ? reads : again(connection, reads, at, full.get(at));
            }
        }
    }

    /** A row that stays locked costs one claim its renewal, not the whole batch (L7). */
    private boolean written(Connection connection, LockRow next, RowRead read) throws SQLException {
        try {
            return rows.write(connection, next, read, false);
        } catch (SQLException e) {
            if (SqlErrors.isLockWait(e)) {
                return false;
            }
            throw e;
        }
    }

    /** Another claim of the batch may be about the same row. */
    private List<RowRead> again(Connection connection, List<RowRead> reads, int at, String name) throws SQLException {
        long same = claims.stream()
                .filter(claim -> names.full(claim.lockName()).equals(name))
                .count();
        if (same == 1) {
            return reads;
        }
        RowRead[] fresh = reads.toArray(RowRead[]::new);
        fresh[at] = rows.read(connection, name);
        return Arrays.asList(fresh);
    }

    private String name(int claim) {
        return names.full(claims.get(claim).lockName());
    }
}
