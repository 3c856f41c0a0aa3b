package io.holdfast.examples.stock;

import static io.holdfast.LockOptions.waitUpTo;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.jdbc.JdbcGuard;
import io.holdfast.guard.jdbc.Optimistic;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * One sale, four ways. Each reads how many pieces there are, packs one, and writes that there is one less; what differs
 * is who notices when somebody else did the same meanwhile.
 */
final class Checkout {
    /** What became of a sale. */
    enum Outcome {
        SOLD,
        SOLD_OUT,
        /** The lock had moved on, and the database refused. */
        REFUSED,
        /** The lock had moved on, and it was noticed before the write. */
        NOTICED
    }

    /** What the seller does between the read and the write: packing, and sometimes being paused. */
    interface Packing {
        void pack() throws SQLException;
    }

    static final Duration TTL = Duration.ofSeconds(1);

    private static final String READ = "SELECT pieces FROM holdfast_example_stock WHERE sku = 42";
    private static final String LOCK_NAME = "stock:sku-42";

    private final int seller;
    private final DataSource dataSource;
    private final DistributedLock lock;
    private final JdbcGuard guard = JdbcGuard.of("stock:sku-42", LOCK_NAME).in(Shop.FENCE);
    private final Optimistic optimistic;
    private int rounds;

    Checkout(int seller, DataSource dataSource, Holdfast holdfast) {
        this.seller = seller;
        this.dataSource = dataSource;
        this.lock = holdfast.mutex(LOCK_NAME);
        this.optimistic = Optimistic.over(dataSource).rounds(1000);
    }

    /** Rounds that {@link Way#OPTIMISTIC} needed so far. */
    int rounds() {
        return rounds;
    }

    Outcome sell(Way way, Packing packing) throws SQLException, InterruptedException {
        return switch (way) {
            case NO_LOCK -> unprotected(packing);
            case LOCK -> locked(packing);
            case GUARD -> guarded(packing);
            case OPTIMISTIC -> optimistic(packing);
        };
    }

    private Outcome unprotected(Packing packing) throws SQLException {
        int pieces = inTransaction(Checkout::read);
        if (pieces <= 0) {
            return Outcome.SOLD_OUT;
        }
        packing.pack();
        return inTransaction(connection -> write(connection, pieces));
    }

    private Outcome locked(Packing packing) throws SQLException, InterruptedException {
        try (Lease lease = lock.acquire(waitUpTo(Duration.ofMinutes(1)).ttl(TTL))) {
            int pieces = inTransaction(Checkout::read);
            if (pieces <= 0) {
                return Outcome.SOLD_OUT;
            }
            lease.ensureValid(); // as late as possible, and still too early: the pause may come after it
            packing.pack();
            return inTransaction(connection -> write(connection, pieces));
        } catch (LeaseLostException e) {
            return Outcome.NOTICED;
        }
    }

    private Outcome guarded(Packing packing) throws SQLException, InterruptedException {
        try (Lease lease = lock.acquire(waitUpTo(Duration.ofMinutes(1)).ttl(TTL))) {
            Sequencer sequencer = lease.sequencer();
            int pieces = inTransaction(connection -> {
                guard.admit(connection, sequencer); // before anything is read
                return read(connection);
            });
            if (pieces <= 0) {
                return Outcome.SOLD_OUT;
            }
            lease.ensureValid();
            packing.pack();
            return inTransaction(connection -> {
                guard.admit(connection, sequencer);
                return write(connection, pieces);
            });
        } catch (StaleTokenException e) {
            return Outcome.REFUSED;
        } catch (LeaseLostException e) {
            return Outcome.NOTICED;
        }
    }

    private Outcome optimistic(Packing packing) throws SQLException, InterruptedException {
        Optimistic.Won<Outcome> won = optimistic.run(connection -> {
            int pieces = read(connection);
            if (pieces <= 0) {
                return Optional.of(Outcome.SOLD_OUT);
            }
            packing.pack();
            try (PreparedStatement update = connection.prepareStatement("UPDATE holdfast_example_stock"
                    + " SET pieces = pieces - 1, version = version + 1 WHERE sku = 42 AND pieces = ?")) {
                update.setInt(1, pieces);
                if (update.executeUpdate() == 0) {
                    return Optional.empty(); // somebody was faster
                }
            }
            record(connection, pieces);
            return Optional.of(Outcome.SOLD);
        });
        rounds += won.rounds();
        return won.result();
    }

    private static int read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(READ)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private Outcome write(Connection connection, int pieces) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE holdfast_example_stock SET pieces = ? WHERE sku = 42")) {
            update.setInt(1, pieces - 1);
            update.executeUpdate();
        }
        record(connection, pieces);
        return Outcome.SOLD;
    }

    private void record(Connection connection, int piece) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO holdfast_example_sale VALUES (?, ?)")) {
            insert.setInt(1, seller);
            insert.setInt(2, piece);
            insert.executeUpdate();
        }
    }

    private interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    private <T> T inTransaction(Work<T> work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                T result = work.run(connection);
                connection.commit();
                done = true;
                return result;
            } finally {
                if (!done) {
                    connection.rollback();
                }
            }
        }
    }
}
