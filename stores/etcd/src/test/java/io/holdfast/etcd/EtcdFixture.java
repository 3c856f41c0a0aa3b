package io.holdfast.etcd;

import io.holdfast.servers.EtcdServer;
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

/** The etcd store on a real server, in a new namespace for every test. */
final class EtcdFixture implements StoreFixture {
    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    private final String url;
    private final MachineTime time = new MachineTime();

    /** One server for all suites of this JVM, started by the first; it ends with the JVM. */
    private static final class Shared {
        static final EtcdServer SERVER = EtcdServer.open();
    }

    EtcdFixture() {
        this.url = Shared.SERVER.url() + "?namespace=test-" + NAMESPACES.incrementAndGet();
    }

    @Override
    public LockStore open(String clientName) {
        return EtcdLockStore.class.cast(new EtcdStoreProvider()
                .open(StoreUrl.parse(url), new StoreProvider.Settings("", Duration.ofSeconds(30))));
    }

    @Override
    public TestTime time() {
        return time;
    }

    @Override
    public Duration shortTtl() {
        return Duration.ofMillis(1500); // a call may take a third of it, and a busy disk takes its time
    }

    @Override
    public Set<Fault> declines() {
        return Set.of(Fault.STEP_WALL_CLOCK, Fault.LOSE_DATA);
    }

    @Override
    public boolean tokensFollowTheClock() {
        return false;
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
