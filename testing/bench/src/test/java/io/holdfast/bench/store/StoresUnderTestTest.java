package io.holdfast.bench.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.bench.library.HoldfastLibrary;
import io.holdfast.bench.library.StoreCalls;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.measure.ServerMeter;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.QueueingStore;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the questions rely on: the counts, the meters and the verbs of the stores they are asked of. */
@Tag("slow")
class StoresUnderTestTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    @Test
    void everyStoreStartsEmptyAndIsFoundByItsUrl() throws Exception {
        for (StoreUnderTest store : StoresUnderTest.all()) {
            try (RunningStore running = store.start().get();
                    LockClient client = HoldfastLibrary.DEFAULT.open(running.url(), TTL)) {
                LockClient.Handle handle = client.handle("x");
                Map<String, Double> before = running.counters();
                assertThat(handle.lock()).as(store.name()).isPositive();
                assertThat(handle.isHeld()).as(store.name()).isTrue();
                handle.unlock();
                assertThat(handle.isHeld()).as(store.name()).isFalse();
                assertThat(running.servers().isEmpty()).as(store.name()).isNotEqualTo(store.hasServers());
                Map<String, Double> after = running.counters();
                assertThat(before.keySet())
                        .as(store.name() + " counts")
                        .allSatisfy(counter -> assertThat(grown(before, after, counter))
                                .matches(count -> count > 0 || store.callsCountedHere()));
            }
        }
        assertThatThrownBy(() -> StoresUnderTest.named("none")).hasMessageContaining("no store none");
    }

    @Test
    void callsAreCountedWhereNoServerCounts() throws Exception {
        try (LockStore memory = StoreCalls.open("memory:counted", TTL);
                LockStore sqliteLike = StoreCalls.open("memory:counted", TTL)) {
            assertThat(memory).isInstanceOf(QueueingStore.class).isNotEqualTo(sqliteLike);
        }
        try (LockClient client = HoldfastLibrary.COUNTED.open("memory:counted", TTL)) {
            double before = StoreCalls.total();
            LockClient.Handle handle = client.handle("x");
            handle.lock();
            handle.unlock();
            assertThat(StoreCalls.total() - before).isEqualTo(2);
        }
    }

    @Test
    void redisCountsScriptsAsCallsAndWhatTheyRunAsCommands() {
        try (RedisServer server = RedisServer.open()) {
            Map<String, Double> before = RedisCounters.counters(server);
            server.call("EVAL", "redis.call('SET', KEYS[1], 1) return redis.call('GET', KEYS[1])", "1", "k");
            Map<String, Double> after = RedisCounters.counters(server);
            assertThat(grown(before, after, RedisCounters.CALLS)).isEqualTo(1);
            assertThat(grown(before, after, RedisCounters.COMMANDS)).isEqualTo(3);
            assertThat(RedisCounters.memory(server)).isPositive();
        }
    }

    @Test
    void serversAreMeteredKilledAndStarted() throws Exception {
        try (RunningStore running = StoresUnderTest.named("redis").start().get()) {
            assertThat(ServerMeter.memoryBytes(running.servers())).isGreaterThan(1 << 20);
            assertThat(running.cpuNanos()).isNotNegative();
            long before = running.servers().get(0).pid();
            running.killAndStart();
            assertThat(running.servers().get(0).pid()).isNotEqualTo(before);
            assertThat(running.counters()).containsKey(RedisCounters.CALLS);
        }
    }

    private static double grown(Map<String, Double> before, Map<String, Double> after, String counter) {
        return after.getOrDefault(counter, 0.0) - before.getOrDefault(counter, 0.0);
    }
}
