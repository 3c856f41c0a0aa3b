package io.holdfast.sqlite;

import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.VirtualTime;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** A lock file of a test, and ways around the store to look at it and to change it. */
final class Lockfile {
    final Path path;
    /** Seconds of load, not a minute: time costs nothing here, but every lock in it is written to a file. */
    final VirtualTime time = new VirtualTime(Duration.ofSeconds(5));

    Lockfile(Path path) {
        this.path = path;
    }

    /** On a machine in its first boot. */
    EmbeddedLockStore open() {
        return open("", new SteeredClock(time));
    }

    EmbeddedLockStore open(String namespace, MachineClock clock) {
        return EmbeddedStoreProvider.open(
                path,
                new NameSpace(namespace),
                StoreInfo.of("embedded", path.toString()).asBlocking().withIoTimeout(Duration.ofSeconds(2)),
                clock,
                SqliteFiles.ofThisMachine());
    }

    /** On the real machine. */
    EmbeddedLockStore openReal() {
        return open("", MachineClock.system());
    }

    ContractClient client() {
        return new ContractClient(attached(open()));
    }

    /** Attached to the test's time. */
    EmbeddedLockStore attached(EmbeddedLockStore store) {
        store.attach(new io.holdfast.spi.StoreContext(
                time,
                time,
                Runnable::run,
                () -> java.util.concurrent.ThreadLocalRandom.current().nextLong(),
                new io.holdfast.spi.StoreSignals() {
                    @Override
                    public void lost(io.holdfast.spi.HolderId holder, io.holdfast.LossReason reason) {}

                    @Override
                    public void disconnected() {}

                    @Override
                    public void connected() {}
                }));
        return store;
    }

    /** Runs SQL on a connection of its own. */
    void sql(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String text : statements) {
                statement.execute(text);
            }
        }
    }

    long number(String query) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + path);
    }
}
