package io.holdfast.zookeeper;

import io.holdfast.servers.ZooKeeperOptions;
import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.MachineTime;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The ZooKeeper store on a real server, with a root of its own for every test. */
final class ZooKeeperFixture implements StoreFixture {
    private static final AtomicInteger ROOTS = new AtomicInteger();

    private final String url;
    private final MachineTime time = new MachineTime();

    /** Made when the first suite asks; it ends with the JVM. */
    private static final class Shared {
        /** Its shortest session outlasts a starved machine; short leases are then ended by the living client. */
        static final ZooKeeperServer SERVER =
                ZooKeeperServer.open(ZooKeeperOptions.defaults().unflushed().option("minSessionTimeout", "20000"));
    }

    /** On the server that all suites of this JVM share. */
    ZooKeeperFixture(String options) {
        this(Shared.SERVER, options);
    }

    /** On a server of the test. */
    ZooKeeperFixture(ZooKeeperServer server, String options) {
        // Some clauses ask for leases of 10 minutes: the session must keep them.
        this.url = server.url() + "/test/" + ROOTS.incrementAndGet() + "?session=15m" + options;
    }

    @Override
    public LockStore open(String clientName) {
        return new ZooKeeperStoreProvider()
                .open(StoreUrl.parse(url), new StoreProvider.Settings("", Duration.ofSeconds(30)));
    }

    @Override
    public TestTime time() {
        return time;
    }

    @Override
    public Duration shortTtl() {
        return Duration.ofMillis(700);
    }

    @Override
    public Set<Fault> declines() {
        return Set.of(Fault.STEP_WALL_CLOCK, Fault.LOSE_DATA);
    }

    @Override
    public boolean tokensFollowTheClock() {
        return false;
    }

    /** {@code mode=single} takes no notes yet: its clients are told of every release instead. */
    @Override
    public boolean notesWaits() {
        return !url.contains("mode=single");
    }

    @Override
    public Optional<String> url() {
        return Optional.of(url);
    }

    @Override
    public void close() {
        time.close();
    }
}
