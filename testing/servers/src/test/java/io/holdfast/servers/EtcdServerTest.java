package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class EtcdServerTest {
    private static final String PUT = "{\"key\": \"a2V5\", \"value\": \"dmFsdWU=\"}";
    private static final String GET = "{\"key\": \"a2V5\"}";
    private static final String LOCAL_GET = "{\"key\": \"a2V5\", \"serializable\": true}";

    @Test
    void aRestartKeepsTheDataAndADataLossDoesNot() {
        try (EtcdServer server = EtcdServer.open()) {
            server.post("/v3/kv/put", PUT);
            server.kill();
            server.restart();
            assertThat(server.post("/v3/kv/range", GET)).contains("dmFsdWU=");

            server.restartWithDataLoss();

            assertThat(server.post("/v3/kv/range", GET)).doesNotContain("dmFsdWU=");
        }
    }

    @Test
    void aPausedServerAnswersAgainWhenItIsResumed() {
        try (EtcdServer server = EtcdServer.open()) {
            server.pause();
            assertThat(server.isRunning()).isTrue();
            server.resume();
            assertThat(server.post("/v3/maintenance/status", "{}")).contains("version");
        }
    }

    @Test
    void threeMembersSurviveTheirLeaderAndServeNothingWhileEachIsAlone() {
        try (EtcdCluster cluster = EtcdCluster.open(3)) {
            EtcdServer leader = cluster.leader();
            leader.kill();
            EtcdServer next = cluster.awaitLeader(cluster.others(leader));
            assertThat(next).isNotSameAs(leader);
            next.post("/v3/kv/put", PUT);
            leader.restart();
            assertThat(leader.post("/v3/kv/range", GET)).contains("dmFsdWU=");

            cluster.splitAll();
            assertThatThrownBy(() -> next.post("/v3/kv/put", PUT)).isInstanceOf(IllegalStateException.class);
            cluster.heal();

            cluster.leader().post("/v3/kv/put", PUT);
        }
    }

    @Test
    void anIsolatedLeaderServesNothingWhileTheOthersDoAndLearnsWhatItMissed() {
        try (EtcdCluster cluster = EtcdCluster.open(3)) {
            EtcdServer leader = cluster.leader();

            cluster.isolate(leader);

            EtcdServer next = cluster.awaitLeader(cluster.others(leader));
            next.post("/v3/kv/put", PUT);
            assertThat(leader.post("/v3/kv/range", LOCAL_GET))
                    .as("what the leader of before has: it still answers, from what it knows")
                    .contains("header")
                    .doesNotContain("dmFsdWU=");
            assertThatThrownBy(() -> leader.post("/v3/kv/put", PUT)).isInstanceOf(IllegalStateException.class);
            cluster.rejoin();
            long giveUp =
                    System.nanoTime() + TimeScale.of(Duration.ofSeconds(20)).toNanos();
            while (!leader.post("/v3/kv/range", LOCAL_GET).contains("dmFsdWU=")) {
                assertThat(System.nanoTime() - giveUp)
                        .as("patience used up, in ns")
                        .isNegative();
            }
        }
    }

    @Test
    void theBinaryIsTheOneThatIsNamedElseTheOneOnThePath(@TempDir Path folder) throws Exception {
        Path binary = Files.createFile(
                folder.resolve("etcd"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path elsewhere = Files.createDirectory(folder.resolve("empty"));

        assertThat(EtcdBinary.find(Map.of("ETCD_BIN", binary.toString()), elsewhere))
                .isEqualTo(binary);
        assertThat(EtcdBinary.find(Map.of("PATH", "/nowhere:" + folder), elsewhere))
                .isEqualTo(binary);
        assertThatThrownBy(() -> EtcdBinary.find(Map.of("ETCD_BIN", "/nowhere/etcd"), elsewhere))
                .isInstanceOf(ServerStartException.class)
                .hasMessageContaining("ETCD_BIN")
                .hasMessageContaining("/nowhere/etcd");
    }

    @Test
    void theCacheIsInTheUsersCacheFolder(@TempDir Path folder) {
        assertThat(DebianFile.cacheFolder(Map.of("XDG_CACHE_HOME", folder.toString())))
                .startsWithRaw(folder);
        assertThat(DebianFile.cacheFolder(Map.of())).isAbsolute();
    }
}
