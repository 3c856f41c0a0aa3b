package io.holdfast.tck.engine.world;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.ContractWorld;
import io.holdfast.tck.FaultyStore;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import io.holdfast.tck.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The fixture of one engine test and the clients that the test opened over it. */
public final class EngineWorld {
    /** Something that blocks. */
    public interface Action {
        void run() throws Exception;
    }

    private static final int SLICES = 40;
    private static final Duration LONGEST_VIRTUAL = Duration.ofSeconds(10);

    private final StoreFixture fixture;
    private final ContractWorld stores;
    private final StartedThreads threads;
    private final Deque<EngineClient> clients = new ArrayDeque<>();

    public EngineWorld(StoreFixture fixture, StartedThreads threads) {
        this.fixture = fixture;
        this.threads = threads;
        this.stores = new ContractWorld(fixture);
    }

    public StoreFixture fixture() {
        return fixture;
    }

    /** A client behind a network of its own. */
    public EngineClient client(String label) throws Exception {
        return client(label, builder -> {});
    }

    /** The same, with something more or something else. */
    public EngineClient client(String label, Consumer<HoldfastBuilder> more) throws Exception {
        FaultyStore network = FaultyStore.over(fixture.open(label));
        ShiftedTicker clock = new ShiftedTicker(fixture.time().ticker());
        RecordingListener heard = new RecordingListener();
        HoldfastBuilder builder = Holdfast.builder()
                .store(network.store())
                .label(label)
                .ticker(clock)
                .scheduler(fixture.time().scheduler())
                .listener(heard);
        more.accept(builder);
        Holdfast holdfast = builder.open();
        EngineClient client = new EngineClient(holdfast, network, clock, heard);
        clients.push(client);
        return client;
    }

    /** The store as it is, past the engine. */
    public ContractClient store() throws Exception {
        return stores.client("probe");
    }

    public Duration shortTtl() {
        return stores.shortTtl();
    }

    /** Lets time pass in slices, so that threads that wait for a moment within it get their turn. */
    public void elapse(Duration time) throws InterruptedException {
        if (fixture.time() instanceof VirtualTime virtual) {
            for (int i = 0; i < SLICES; i++) {
                virtual.elapse(time.dividedBy(SLICES));
                LockSupport.parkNanos(100_000);
            }
        } else {
            fixture.time().elapse(time);
        }
    }

    /** Lets time pass, a little at a time and 10 s at most on virtual time, until it is so. */
    public void eventually(String what, BooleanSupplier so) throws InterruptedException {
        boolean virtual = fixture.time() instanceof VirtualTime;
        long start = fixture.time().ticker().nanos();
        long giveUp = System.nanoTime() + TestTime.patience().toNanos();
        while (!so.getAsBoolean()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError("it never happened that " + what);
            }
            // The machine's time passes by itself, also when the fixture is closed already.
            if (virtual && fixture.time().ticker().nanos() - start < LONGEST_VIRTUAL.toNanos()) {
                fixture.time().elapse(Duration.ofMillis(2));
            }
            LockSupport.parkNanos(500_000);
        }
    }

    /** Runs what blocks until time has moved, and moves it meanwhile. */
    public void whileTimeMoves(Action action) throws Exception {
        Thread thread = new Thread(this::moveTime, "tck-time");
        thread.setDaemon(true);
        thread.start();
        try {
            action.run();
        } finally {
            thread.interrupt();
            thread.join();
        }
    }

    /** Waits until the queue of a held name is empty. */
    public void nobodyWaits(String name) throws Exception {
        ContractClient probe = store();
        eventually("no client waits for '" + name + "'", () -> waiting(probe, name) == 0);
    }

    /** Waits until the store knows nothing of these names any more. */
    public void nothingLeft(String... names) throws Exception {
        ContractClient probe = store();
        for (String name : names) {
            eventually("nothing is left of '" + name + "'", () -> namesLeft(probe, name) == 0);
        }
    }

    /** Heals every network, closes the clients and the backend, and sees that nothing of them goes on. */
    public void end() throws Exception {
        List<EngineClient> all = List.copyOf(clients);
        all.forEach(client -> client.network().heal());
        whileTimeMoves(() -> {
            while (!clients.isEmpty()) {
                clients.pop().holdfast().close();
            }
        });
        noRenewalsAfterClose(all);
        stores.close();
        threads.end();
        soon("the clients' threads have ended: " + threads, threads::noneIsLeft);
    }

    /** Waits on the machine's time, which goes on when the fixture's has been closed. */
    private static void soon(String what, BooleanSupplier so) {
        long giveUp = System.nanoTime() + TestTime.patience().toNanos();
        while (!so.getAsBoolean()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError("it never happened that " + what);
            }
            LockSupport.parkNanos(500_000);
        }
    }

    private void noRenewalsAfterClose(List<EngineClient> closed) {
        if (fixture.time() instanceof VirtualTime virtual) {
            int before = renewals(closed);
            virtual.elapse(Duration.ofMinutes(1));
            if (renewals(closed) != before) {
                throw new AssertionError("a closed client went on renewing");
            }
        }
    }

    private static int renewals(List<EngineClient> clients) {
        return clients.stream()
                .mapToInt(client -> client.network().calls("renew"))
                .sum();
    }

    private void moveTime() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                fixture.time().elapse(Duration.ofMillis(1));
                LockSupport.parkNanos(200_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int waiting(ContractClient probe, String name) {
        try {
            return probe.status(name).waiting();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while looking", e);
        }
    }

    private static int namesLeft(ContractClient probe, String name) {
        try {
            return probe.names(name, 10).size();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while looking", e);
        }
    }
}
