package io.holdfast.redlock;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.RenewResult;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Thousands of leases in one client: their renewal keeps within the short time that a node has to answer. */
@Tag("slow")
class RedlockManyLeasesTest {
    private static final int COUNT = 3000;

    /** With the usual {@code ioTimeout}: renewals that were all sent at once were late because of each other. */
    @Test
    void thousandsOfLeasesAreRenewedInOneCallOfTheStore() throws Exception {
        try (Nodes nodes = Nodes.settled(Duration.ofSeconds(60));
                Clients clients = new Clients()) {
            // Generous for the votes, so that a busy machine grants all of them.
            RedlockStore patient = nodes.open("maxTtl=60s&ioTimeout=2s");
            clients.attach(patient);
            RedlockStore usual = nodes.open("maxTtl=60s");
            clients.attach(usual);
            List<Claim> claims = new ArrayList<>();
            for (int i = 0; i < COUNT; i++) {
                Claim claim =
                        exclusive("lease-" + i).ttl(Duration.ofSeconds(50)).claim();
                assertThat(patient.tryAcquire(claim).toCompletableFuture().get(10, TimeUnit.SECONDS))
                        .isInstanceOf(Granted.class);
                claims.add(claim);
            }

            // More than one try: on a busy machine a node may be late for reasons of its own.
            await().atMost(TestTime.patience())
                    .untilAsserted(() -> assertThat(
                                    usual.renew(claims).toCompletableFuture().get(10, TimeUnit.SECONDS))
                            .hasSize(COUNT)
                            .allSatisfy(result -> assertThat(result).isInstanceOf(RenewResult.Renewed.class)));
        }
    }
}
