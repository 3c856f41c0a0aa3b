package io.holdfast.compat;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.redis.RedisGuard;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.lettuce.core.LettuceVersion;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.netty.util.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What an application does with Redis, on the versions of Lettuce and Netty that its framework manages. The classes of
 * Holdfast were compiled against the newest ones: a reference to something that only those have shows here.
 */
class RedisOnTheseVersionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final LockOptions PATIENT = waitUpTo(PATIENCE);

    @Test
    void theApplicationKeepsTheVersionsOfItsFramework() {
        assertThat(LettuceVersion.getVersion()).startsWith(System.getProperty("compat.lettuce"));
        assertThat(Version.identify().get("netty-common").artifactVersion())
                .startsWith(System.getProperty("compat.netty"));
    }

    @Test
    void twoClientsHandALockOver() throws Exception {
        try (RedisServer server = RedisServer.open();
                Holdfast a = Holdfast.open(server.url());
                Holdfast b = Holdfast.open(server.url())) {
            handOver(a, b);
        }
    }

    @Test
    void aUserLogsIn() throws Exception {
        try (RedisServer server = RedisServer.open()) {
            server.call("ACL", "SETUSER", "locker", "on", ">secret", "~*", "&*", "+@all");
            String address = "locker:secret@127.0.0.1:" + server.port();
            try (Holdfast a = Holdfast.open("redis://" + address);
                    Holdfast b = Holdfast.open("redis://" + address)) {
                handOver(a, b);
            }
            assertThat(String.valueOf(server.call("ACL", "LOG"))).isEqualTo("[]");
        }
    }

    @Test
    void theApplicationsOwnClientCarriesLocks() throws Exception {
        try (RedisServer server = RedisServer.open()) {
            RedisURI uri = RedisURI.create(server.url());
            RedisClient lettuce = RedisClient.create(uri);
            try (Holdfast a = over(lettuce, uri);
                    Holdfast b = over(lettuce, uri)) {
                handOver(a, b);
            } finally {
                lettuce.shutdown(0, 1, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void aGuardRefusesTheOlderToken() throws Exception {
        try (RedisServer server = RedisServer.open();
                Holdfast client = Holdfast.open(server.url())) {
            RedisClient lettuce = RedisClient.create(server.url());
            try (StatefulRedisConnection<String, String> data = lettuce.connect()) {
                RedisGuard guard = RedisGuard.of(data.sync(), "stock", "job");
                Lease older = client.mutex("job").acquire(PATIENT);
                guard.set(older.sequencer(), "stock", "10");
                older.close();
                try (Lease newer = client.mutex("job").acquire(PATIENT)) {
                    assertThat(guard.incrBy(newer.sequencer(), "stock", -1)).isEqualTo(9);
                }
                assertThatThrownBy(() -> guard.incrBy(older.sequencer(), "stock", -1))
                        .isInstanceOf(StaleTokenException.class);
                assertThat(data.sync().get("stock")).isEqualTo("9");
            } finally {
                lettuce.shutdown(0, 1, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void aBrokenConnectionIsReplaced() throws Exception {
        try (RedisServer server = RedisServer.open();
                Holdfast client = Holdfast.open(server.url())) {
            client.mutex("job").acquire(PATIENT).close();
            assertThat(server.call("CLIENT", "KILL", "TYPE", "normal")).isNotEqualTo(0L);
            client.mutex("job").acquire(PATIENT).close();
        }
    }

    @Test
    void aClusterHoldsLocks() throws Exception {
        try (RedisCluster cluster = RedisCluster.open(3);
                Holdfast a = Holdfast.open("redis-cluster://" + cluster.addresses());
                Holdfast b = Holdfast.open("redis-cluster://" + cluster.addresses())) {
            handOver(a, b);
        }
    }

    @Test
    void aMajorityOfThreeServersHoldsLocks() throws Exception {
        List<RedisServer> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                nodes.add(RedisServer.open());
            }
            // A fresh deployment waits once for the longest lease; a short one, for the sake of this test.
            String url = "redlock://127.0.0.1:" + nodes.get(0).port() + ",127.0.0.1:" + nodes.get(1).port()
                    + ",127.0.0.1:" + nodes.get(2).port() + "?maxTtl=3s";
            LockOptions options = PATIENT.ttl(Duration.ofSeconds(2));
            try (Holdfast a = Holdfast.open(url);
                    Holdfast b = Holdfast.open(url)) {
                long first;
                try (Lease lease = a.mutex("job").acquire(options)) {
                    first = lease.token();
                    assertThat(b.mutex("job").tryAcquire(options)).isEmpty();
                }
                try (Lease lease = b.mutex("job").acquire(options)) {
                    assertThat(lease.token()).isGreaterThan(first);
                }
            }
        } finally {
            nodes.forEach(RedisServer::close);
        }
    }

    private static Holdfast over(RedisClient lettuce, RedisURI uri) {
        return Holdfast.builder().store(RedisLockStore.over(lettuce, uri, "app")).open();
    }

    private static void handOver(Holdfast a, Holdfast b) throws Exception {
        Lease held = a.mutex("job").acquire(PATIENT);
        assertThat(b.mutex("job").tryAcquire()).isEmpty();
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(PATIENT);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (a.inspect("job").orElseThrow().waiting() == 0) {
            assertThat(System.nanoTime()).as("b waits in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
        held.close();
        try (Lease next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(next.token()).isGreaterThan(held.token());
        }
    }
}
