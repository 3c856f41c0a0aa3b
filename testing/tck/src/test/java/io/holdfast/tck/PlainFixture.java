package io.holdfast.tck;

import io.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;

/** A {@link PlainServer}, whole or broken, on virtual time. */
final class PlainFixture implements StoreFixture {
    private final VirtualTime time;
    private final PlainServer server;

    PlainFixture(VirtualTime time, Function<VirtualTime, PlainServer> make) {
        this.time = time;
        server = make.apply(time);
    }

    @Override
    public LockStore open(String clientName) {
        return new PlainStore(server);
    }

    @Override
    public TestTime time() {
        return time;
    }

    @Override
    public Duration shortTtl() {
        return Duration.ofSeconds(2);
    }

    @Override
    public Set<Fault> declines() {
        return Set.of();
    }

    @Override
    public void loseData() {
        server.loseData();
    }

    @Override
    public void stepWallClock(Duration by) {
        time.stepWallClock(by);
    }

    @Override
    public void close() {}
}
