package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ZooKeeperServerTest {
    @Test
    void aServerStartsAloneAndCountsItsPackets() {
        try (ZooKeeperServer server = ZooKeeperServer.open()) {
            assertThat(server.fourLetters("srvr")).contains("Mode: standalone");
            server.resetStats();
            assertThat(server.packets()).isLessThan(10);
            assertThat(server.monitor()).containsKey("zk_znode_count");
            server.restart();
            assertThat(server.fourLetters("ruok")).isEqualTo("imok");
        }
    }

    @Test
    void anEnsembleElectsAnotherLeaderWhenItsLeaderIsKilled() {
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.open(3, quick())) {
            ZooKeeperServer first = ensemble.leader();
            first.kill();
            ZooKeeperServer second = ensemble.leader();
            assertThat(second).isNotSameAs(first);
            first.start();
            assertThat(first.leads()).isFalse();
        }
    }

    @Test
    void aMemberThatIsCutOffStopsServingAndComesBack() {
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.open(3, quick())) {
            ZooKeeperServer alone = ensemble.follower();
            ensemble.isolate(alone);
            await().atMost(TimeScale.of(Duration.ofSeconds(30)))
                    .until(() -> alone.fourLetters("srvr").contains("not currently serving"));
            assertThat(ensemble.leader()).isNotSameAs(alone);

            ensemble.rejoin(alone);

            await().atMost(TimeScale.of(Duration.ofSeconds(30)))
                    .until(() -> alone.fourLetters("srvr").contains("Mode: follower"));
        }
    }

    private static ZooKeeperOptions quick() {
        return ZooKeeperOptions.defaults()
                .unflushed()
                .tick(Duration.ofMillis(200))
                .option("syncLimit", "5");
    }
}
