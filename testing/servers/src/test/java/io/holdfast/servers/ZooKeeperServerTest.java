package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

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
    void anEnsembleElectsAnotherLeaderWhenItsLeaderIsKilledOrCutOff() {
        ZooKeeperOptions options = ZooKeeperOptions.defaults()
                .unflushed()
                .tick(Duration.ofMillis(200))
                .option("syncLimit", "5");
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.open(3, options)) {
            ZooKeeperServer first = ensemble.leader();
            first.kill();
            ZooKeeperServer second = ensemble.leader();
            assertThat(second).isNotSameAs(first);
            first.start();

            ensemble.isolate(second);
            await().atMost(TimeScale.of(Duration.ofSeconds(20)))
                    .until(() -> !second.leads()
                            && ensemble.members().stream().anyMatch(member -> member != second && member.leads()));
            ensemble.rejoin(second);
            await().atMost(TimeScale.of(Duration.ofSeconds(20)))
                    .until(() -> second.fourLetters("srvr").contains("Mode: "));
        }
    }
}
