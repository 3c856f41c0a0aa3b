package io.holdfast.sqlite;

import io.holdfast.spi.support.NameSpace;
import io.holdfast.spi.support.Tombstones;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Deletes rows that are not needed any more, a part at a time.
 *
 * <p>Every grant may add a row. After {@link #EVERY} additions of this process one part of {@link #PART} rows is looked
 * at, from where the last sweep of any process ended (the place stands in the file), and its free rows are deleted. So
 * twice as many rows are looked at as are added: there are never many more free rows than held ones, the cost per
 * grant is constant, and no sweep holds the write lock for long. The count starts anywhere, so that short-lived
 * processes sweep as well.
 *
 * <p>The last token of a deleted row is kept in the name's bucket in the same transaction: tokens do not go back, and
 * the age of the row (N4) does not matter.
 */
final class Sweeper {
    static final int EVERY = 256;
    static final int PART = 2 * EVERY;

    /** The grant that was answered meanwhile is not kept from its caller for longer. */
    private static final long LONGEST_WAIT_NANOS = 20_000_000;

    private final AtomicInteger additions;

    private Sweeper(int start) {
        additions = new AtomicInteger(start);
    }

    /** Identity hash codes will not do: they are the same in every start of the same command. */
    static Sweeper startingAnywhere() {
        return new Sweeper(ThreadLocalRandom.current().nextInt(EVERY));
    }

    /** How many rows were added since the last sweep, as far as this process counts. */
    int counted() {
        return additions.get();
    }

    /** Counts a row and sweeps when it is time. */
    void added(SqliteConnection connection) throws SQLException {
        if (additions.incrementAndGet() >= EVERY) {
            additions.set(0);
            connection.waitUntil = Math.min(connection.waitUntil, System.nanoTime() + LONGEST_WAIT_NANOS);
            connection.writing(Sweeper::sweep);
        }
    }

    private static boolean sweep(SqliteConnection connection) throws SQLException {
        long now = connection.leaseNanos();
        String from = text(connection.statement(SqliteStatement.SWEEP_READ), "");
        PreparedStatement next = connection.statement(SqliteStatement.SWEEP_END);
        next.setString(1, from);
        next.setInt(2, PART - 1);
        String to = text(next, NameSpace.BEYOND);
        for (SqliteStatement part : new SqliteStatement[] {
            SqliteStatement.SWEEP_FOLD, SqliteStatement.SWEEP_LOCKS, SqliteStatement.SWEEP_SHARES
        }) {
            PreparedStatement statement = connection.statement(part);
            statement.setString(1, from);
            statement.setString(2, to);
            statement.setLong(3, now);
            statement.setLong(4, now - Tombstones.LIFE.toNanos());
            statement.executeUpdate();
        }
        for (SqliteStatement part :
                new SqliteStatement[] {SqliteStatement.SWEEP_TOMBSTONES, SqliteStatement.SWEEP_NOTES}) {
            PreparedStatement statement = connection.statement(part);
            statement.setLong(1, now);
            statement.setInt(2, PART);
            statement.executeUpdate();
        }
        PreparedStatement save = connection.statement(SqliteStatement.SWEEP_SAVE);
        save.setString(1, to.equals(NameSpace.BEYOND) ? "" : to);
        save.executeUpdate();
        return true;
    }

    private static String text(PreparedStatement statement, String otherwise) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getString(1) : otherwise;
        }
    }
}
