package io.holdfast.sql;

import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.sql.session.SessionLockStore;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.MachineTime;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** A store on a real database, with tables of its own for every test. */
public final class SqlFixture implements StoreFixture {
    /** Runs a statement in the database under test. */
    @FunctionalInterface
    interface Shell {
        /** Does it. */
        void execute(String sql) throws SQLException;
    }

    private final Shell shell;
    private final String table;
    private final String url;
    private final Duration shortTtl;
    private final Class<? extends LockStore> kind;
    private final MachineTime time = new MachineTime();

    /**
     * On a database.
     *
     * @param base its URL, to which options are added
     * @param table the lock table
     * @param kind what is under test
     * @param shortTtl a TTL that tests let run out
     */
    SqlFixture(String base, String table, Class<? extends LockStore> kind, Shell shell, Duration shortTtl) {
        this.shell = shell;
        this.table = table;
        this.kind = kind;
        this.shortTtl = TestTime.scaled(shortTtl);
        this.url = base + (base.contains("?") ? "&" : "?")
                + "holdfast.autoCreate=true&holdfast.unflushed=accept&holdfast.table=" + table;
    }

    /** The tables of one fixture, for GRANT: other tests create and drop tables beside them. */
    static String tables(PostgresServer server, String table) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet names = statement.executeQuery("SELECT string_agg(tablename, ', ') FROM pg_tables"
                        + " WHERE schemaname = 'public' AND starts_with(tablename, '" + table + "')")) {
            names.next();
            return names.getString(1);
        }
    }

    public static LockStore openUrl(String url) {
        return new SqlStoreProvider().open(StoreUrl.parse(url), new StoreProvider.Settings("", Duration.ofSeconds(30)));
    }

    /** Sessions wait in the database's own queue. */
    @Override
    public boolean notesWaits() {
        return kind != SessionLockStore.class;
    }

    @Override
    public LockStore open(String clientName) throws InterruptedException {
        LockStore store = kind.cast(openUrl(url));
        if (kind == SessionLockStore.class) {
            // A test that lets time pass between two requests must not pay for the second one's connection in between:
            // on a busy machine that takes as long as a short lease.
            ContractClient client = new ContractClient(store);
            List<Claim> together = List.of(
                    Ask.exclusive(warmUp()).claim(), Ask.exclusive(warmUp()).claim());
            for (Claim claim : together) {
                client.granted(claim);
            }
            for (Claim claim : together) {
                client.released(claim);
            }
        }
        return store;
    }

    private static String warmUp() {
        return "warm-up-" + UUID.randomUUID();
    }

    @Override
    public TestTime time() {
        return time;
    }

    @Override
    public Duration shortTtl() {
        return shortTtl;
    }

    @Override
    public Set<Fault> declines() {
        return Set.of(Fault.STEP_WALL_CLOCK);
    }

    @Override
    public void loseData() throws SQLException {
        shell.execute("DELETE FROM " + table + (url.contains("holdfast=") ? "_token" : ""));
    }

    @Override
    public Optional<String> url() {
        return Optional.of(url);
    }

    @Override
    public void close() throws IOException {
        time.close();
        try {
            for (String suffix : new String[] {"", "_schema", "_token", "_row", "_fence", "_note", "_setting"}) {
                shell.execute("DROP TABLE IF EXISTS " + table + suffix);
            }
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }
}
