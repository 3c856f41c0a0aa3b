package io.holdfast.etcd;

import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.GetOption;
import io.holdfast.LossReason;
import io.holdfast.Scheduler;
import io.holdfast.servers.EtcdServer;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreSignals;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.MachineTime;
import io.holdfast.tck.TestTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;

/** The resources that a test opened; closing it closes all, the last first. */
final class Kit {
    static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final MachineTime time = opening(new MachineTime());

    /** The signals of a store. */
    static final class Signals implements StoreSignals {
        final Map<HolderId, LossReason> lost = new ConcurrentHashMap<>();
        final AtomicInteger disconnections = new AtomicInteger();

        @Override
        public void lost(HolderId holder, LossReason reason) {
            lost.put(holder, reason);
        }

        @Override
        public void disconnected() {
            disconnections.incrementAndGet();
        }

        @Override
        public void connected() {}
    }

    <T extends AutoCloseable> T opening(T value) {
        opened.push(value);
        return value;
    }

    /** A store without the engine. */
    ContractClient store(String url) {
        return store(url, new Signals());
    }

    ContractClient store(String url, Signals signals) {
        LockStore store = opening(new EtcdStoreProvider()
                .open(StoreUrl.parse(url), new StoreProvider.Settings("", Duration.ofSeconds(30))));
        attach(store, signals);
        return new ContractClient(store);
    }

    /** A store whose timers never fire: it acts only on answers and events of etcd. */
    ContractClient storeWithoutTimers(String url) {
        LockStore store = opening(new EtcdStoreProvider()
                .open(StoreUrl.parse(url), new StoreProvider.Settings("", Duration.ofSeconds(30))));
        attach(store, new Signals(), (task, delay) -> () -> {});
        return new ContractClient(store);
    }

    void attach(LockStore store, Signals signals) {
        attach(store, signals, time.scheduler());
    }

    private void attach(LockStore store, Signals signals, Scheduler scheduler) {
        store.attach(new StoreContext(
                time.ticker(),
                scheduler,
                Runnable::run,
                () -> ThreadLocalRandom.current().nextLong(),
                signals));
    }

    /** A client of an operator, beside the store. */
    Client operator(EtcdServer server) {
        return opening(Client.builder().endpoints("http://" + server.address()).build());
    }

    /** All keys with this prefix. */
    static List<KeyValue> keys(Client client, String prefix) {
        try {
            return client.getKVClient()
                    .get(
                            ByteSequence.from(prefix, StandardCharsets.UTF_8),
                            GetOption.builder().isPrefix(true).build())
                    .get(10, TimeUnit.SECONDS)
                    .getKvs();
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    static ConditionFactory eventually(String what) {
        return await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).ignoreExceptions();
    }

    void elapse(Duration by) throws InterruptedException {
        time.elapse(by);
    }

    void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }
}
