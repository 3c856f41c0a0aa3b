package io.holdfast.tck;

import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;

/** The memory store on virtual time. */
public final class MemoryFixture implements StoreFixture {
    private final Function<LockStore, LockStore> view;
    private final VirtualTime time = new VirtualTime();
    private final MemorySpace space = new MemorySpace(time);

    /** As it is. */
    public MemoryFixture() {
        this(store -> store);
    }

    /** As seen through {@code view}. */
    MemoryFixture(Function<LockStore, LockStore> view) {
        this.view = view;
    }

    /** With nothing but pull mode. */
    public static MemoryFixture pulled() {
        return new MemoryFixture(PullStore::new);
    }

    /** With pull mode and hints. */
    public static MemoryFixture hinted() {
        HintingStore.Board board = new HintingStore.Board();
        return new MemoryFixture(store -> new HintingStore(store, board));
    }

    @Override
    public LockStore open(String clientName) {
        return view.apply(new MemoryLockStore(space));
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
