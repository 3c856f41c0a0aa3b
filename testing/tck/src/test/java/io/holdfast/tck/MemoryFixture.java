package io.holdfast.tck;

import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.Set;

/** The memory store on virtual time. */
final class MemoryFixture implements StoreFixture {
    private final VirtualTime time = new VirtualTime();
    private final MemorySpace space = new MemorySpace(time);

    @Override
    public LockStore open(String clientName) {
        return new MemoryLockStore(space);
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
        space.loseData();
    }

    @Override
    public void stepWallClock(Duration by) {
        time.stepWallClock(by);
    }

    @Override
    public void close() {}
}
