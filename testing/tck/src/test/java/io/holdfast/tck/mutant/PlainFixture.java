package io.holdfast.tck.mutant;

import io.holdfast.spi.LockStore;
import io.holdfast.tck.PullStore;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import io.holdfast.tck.VirtualTime;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;

/** A {@link PlainServer}, correct or mutated, on virtual time. */
final class PlainFixture implements StoreFixture {
    private final VirtualTime time;
    private final PlainServer server;
    private final Function<LockStore, LockStore> view;

    PlainFixture(VirtualTime time, Function<VirtualTime, PlainServer> make) {
        this(time, make, store -> store);
    }

    private PlainFixture(
            VirtualTime time, Function<VirtualTime, PlainServer> make, Function<LockStore, LockStore> view) {
        this.time = time;
        this.server = make.apply(time);
        this.view = view;
    }

    /** With nothing but pull mode. */
    static PlainFixture pulled(VirtualTime time, Function<VirtualTime, PlainServer> make) {
        return new PlainFixture(time, make, PullStore::new);
    }

    @Override
    public LockStore open(String clientName) {
        return view.apply(new PlainStore(server));
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
