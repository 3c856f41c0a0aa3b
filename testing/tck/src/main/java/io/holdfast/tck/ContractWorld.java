package io.holdfast.tck;

import io.holdfast.LossReason;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreSignals;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

/** The fixture of one test, and what the test opened over it. Closing it closes all. */
public final class ContractWorld implements AutoCloseable {
    private static final StoreSignals DEAF = new StoreSignals() {
        @Override
        public void lost(HolderId holder, LossReason reason) {}

        @Override
        public void disconnected() {}

        @Override
        public void connected() {}
    };

    private final StoreFixture fixture;
    private final int stretch;
    private final Deque<LockStore> stores = new ArrayDeque<>();
    private final ExecutorService executor = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "tck-executor");
        thread.setDaemon(true);
        return thread;
    });

    /** Over a fresh fixture. */
    public ContractWorld(StoreFixture fixture) {
        this.fixture = fixture;
        this.stretch = fixture.time() instanceof VirtualTime ? 1 : RepeatWhenStarved.stretch();
    }

    /** The fixture. */
    public StoreFixture fixture() {
        return fixture;
    }

    /** A new client. */
    public ContractClient client(String name) throws Exception {
        return attached(fixture.open(name));
    }

    /** A new client between which and the store messages are lost, late and doubled. */
    public FaultyStore faulty(String name) throws Exception {
        FaultyStore faulty = FaultyStore.over(fixture.open(name));
        attached(faulty.store());
        return faulty;
    }

    /** Lets time pass. */
    public void elapse(Duration time) throws InterruptedException {
        fixture.time().elapse(time);
    }

    /** The TTL of leases that a test lets run out: the fixture's, or longer in a test that is repeated. */
    public Duration shortTtl() {
        return fixture.shortTtl().multipliedBy(stretch);
    }

    /** Lets a lease of {@link #shortTtl()} run out, and a bit more. */
    public void outliveShortTtl() throws InterruptedException {
        elapse(shortTtl().plus(shortTtl().dividedBy(4)));
    }

    @Override
    public void close() throws IOException {
        while (!stores.isEmpty()) {
            stores.pop().close();
        }
        executor.shutdownNow();
        fixture.close();
    }

    private ContractClient attached(LockStore store) {
        stores.push(store);
        TestTime time = fixture.time();
        store.attach(new StoreContext(
                time.ticker(),
                time.scheduler(),
                executor,
                () -> ThreadLocalRandom.current().nextLong(),
                DEAF));
        return new ContractClient(store);
    }
}
