package io.holdfast.jdbc;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.MachineTime;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A store on a real database, with tables of its own for every test. */
final class SqlFixture implements StoreFixture {
    /** Runs a statement in the database under test. */
    @FunctionalInterface
    interface Shell {
        /** Does it. */
        void execute(String sql) throws SQLException;
    }

    private final Shell shell;
    private final String table;
    private final String url;
    private final MachineTime time = new MachineTime();

    /**
     * On a database.
     *
     * @param base its URL, to which options are added
     * @param table the lock table
     */
    SqlFixture(String base, String table, Shell shell) {
        this.shell = shell;
        this.table = table;
        this.url = base + (base.contains("?") ? "&" : "?") + "holdfast.autoCreate=true&holdfast.table=" + table;
    }

    static LockStore openUrl(String url) {
        return new SqlStoreProvider().open(StoreUrl.parse(url), new StoreProvider.Settings("", Duration.ofSeconds(30)));
    }

    @Override
    public LockStore open(String clientName) {
        return openUrl(url);
    }

    @Override
    public TestTime time() {
        return time;
    }

    @Override
    public Duration shortTtl() {
        return TestTime.scaled(Duration.ofMillis(800));
    }

    @Override
    public Set<Fault> declines() {
        return Set.of(Fault.STEP_WALL_CLOCK);
    }

    @Override
    public void loseData() throws SQLException {
        shell.execute("DELETE FROM " + table);
    }

    @Override
    public Optional<String> url() {
        return Optional.of(url);
    }

    @Override
    public void close() throws IOException {
        time.close();
        try {
            shell.execute("DROP TABLE IF EXISTS " + table);
            shell.execute("DROP TABLE IF EXISTS " + table + "_schema");
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }
}
