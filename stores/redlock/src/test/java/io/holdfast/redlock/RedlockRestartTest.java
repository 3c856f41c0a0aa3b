package io.holdfast.redlock;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes with a real append-only file are killed and come back with what is in it. */
@Tag("slow")
class RedlockRestartTest {
    private static final Duration MAX_TTL = Duration.ofSeconds(60);

    /** U9: with fsync=always a node that was killed has every vote, and counts at once. */
    @Test
    void aKilledNodeThatHasEveryVoteOnDiskVotesAgainAtOnceAndForHolderNotForAnother() throws Exception {
        try (Nodes nodes = Nodes.settled(MAX_TTL, RedisOptions.defaults().appendOnly());
                Clients clients = new Clients()) {
            ContractClient a = clients.attach(nodes.open("ioTimeout=2s&fsync=always"));
            ContractClient b = clients.attach(nodes.open("ioTimeout=2s&fsync=always"));
            Claim held = bareMajority(a, nodes);

            killAndStart(nodes.get(2));

            await().atMost(TestTime.patience())
                    .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .untilAsserted(() -> a.renewed(held));
            b.refused(exclusive("job"));
            assertThat(nodes.get(2).call("HGET", "hfr:node", "learned")).isEqualTo("1");
            a.released(held);
            b.granted(exclusive("job"));
        }
    }

    /** U9: without that promise the same restart may have lost the last second, and the node has no vote for maxTtl. */
    @Test
    void aKilledNodeThatMayHaveLostASecondHasNoVoteForMaxTtl() throws Exception {
        RedisOptions everysec =
                RedisOptions.defaults().option("appendonly", "yes").option("appendfsync", "everysec");
        try (Nodes nodes = Nodes.settled(MAX_TTL, everysec);
                Clients clients = new Clients()) {
            ContractClient a = clients.attach(nodes.open("ioTimeout=2s"));
            ContractClient b = clients.attach(nodes.open("ioTimeout=2s"));
            bareMajority(a, nodes);

            killAndStart(nodes.get(2));

            await().atMost(TestTime.patience()).until(() -> {
                try {
                    assertThat(b.tryAcquire(exclusive("job").claim())).isNotInstanceOf(Granted.class);
                } catch (StoreUnavailableException noMajority) {
                    assertThat(noMajority).hasMessageContaining("fewer than 3 of 5");
                }
                return "0".equals(nodes.get(2).call("HGET", "hfr:node", "learned"));
            });
            for (int i = 0; i < 5; i++) {
                assertThat(holderFound(b))
                        .as("a second holder while the first believes")
                        .isFalse();
            }
        }
    }

    private static boolean holderFound(ContractClient client) throws InterruptedException {
        try {
            return client.tryAcquire(exclusive("job").claim()) instanceof Granted;
        } catch (StoreUnavailableException noMajority) {
            return false;
        }
    }

    /** Held with the votes of the first three, as if those for the others had been lost. */
    private static Claim bareMajority(ContractClient client, Nodes nodes) throws InterruptedException {
        Claim held = exclusive("job").claim();
        client.granted(held);
        nodes.leaveBareMajority("job");
        return held;
    }

    private static void killAndStart(RedisServer node) {
        String before = node.info("server").getOrDefault("run_id", "");
        node.kill();
        node.start();
        assertThat(node.info("server").get("run_id")).isNotEqualTo(before);
    }
}
