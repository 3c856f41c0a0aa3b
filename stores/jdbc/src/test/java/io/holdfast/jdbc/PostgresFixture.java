package io.holdfast.jdbc;

import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.MachineTime;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A store on a real PostgreSQL, with a schema of its own for every test. */
final class PostgresFixture implements StoreFixture {
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private final PostgresServer server;
    private final String schema = "test_" + SCHEMAS.incrementAndGet();
    private final String url;
    private final MachineTime time = new MachineTime();

    PostgresFixture(PostgresServer server, String options) {
        this.server = server;
        this.url = server.url() + "&holdfast.autoCreate=true&holdfast.schema=" + schema + options;
        try {
            server.execute("CREATE SCHEMA " + schema);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static LockStore openUrl(String url) {
        return new SqlStoreProvider().open(StoreUrl.parse(url), new StoreProvider.Settings("", Duration.ofSeconds(30)));
    }

    @Override
    public LockStore open(String clientName) throws Exception {
        return openUrl(url);
    }

    @Override
    public TestTime time() {
        return time;
    }

    @Override
    public Duration shortTtl() {
        return TestTime.scaled(Duration.ofSeconds(1));
    }

    @Override
    public Set<Fault> declines() {
        return Set.of(Fault.STEP_WALL_CLOCK);
    }

    @Override
    public void loseData() throws SQLException {
        server.execute("TRUNCATE " + schema + ".holdfast_lock");
    }

    @Override
    public Optional<String> url() {
        return Optional.of(url);
    }

    @Override
    public void close() {
        time.close();
        try {
            server.execute("DROP SCHEMA " + schema + " CASCADE");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
