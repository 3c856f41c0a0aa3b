package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LossReason;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Revocation;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreSignals;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.ContractWorld;
import io.holdfast.tck.TestTime;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.line.NodeName;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** U4, U32: which node counts for which claim, also when an operator deletes or revokes it. */
class NodeOwnershipTest extends OnSharedServer {
    /** CURATOR-604: a node of a dead session with the same id is not a grant. */
    @Test
    @Tag("slow")
    void aNodeOfAnotherSessionIsNoGrantWhateverItsName() throws Exception {
        try (ContractWorld world = new ContractWorld(new ZooKeeperFixture(server(), ""))) {
            LockStore store = open(store(url()));
            ContractClient client = attached(world, store);
            client.granted(Ask.exclusive("other").claim());
            Claim claim = Ask.exclusive("job").claim();
            raw.zk.create(root + "/names/job", new byte[0], OPEN, CreateMode.PERSISTENT);
            raw.zk.create(
                    root + "/names/job/" + NodeName.prefix(claim),
                    ClaimData.of(claim, "another store"),
                    OPEN,
                    CreateMode.EPHEMERAL_SEQUENTIAL);

            client.refused(claim);

            assertThat(raw.children(root + "/names/job")).hasSize(1);
        }
    }

    /** U4: the own node's deletion by an operator is LOST at once. */
    @Test
    @Tag("slow")
    void theDeletionOfTheOwnNodeIsALossAtOnce() throws Exception {
        Holdfast client = open(Holdfast.open(url() + "?session=60s"));
        Lease lease = client.mutex("job").acquire(ttl(Duration.ofSeconds(60)));

        raw.zk.delete(raw.nodes(root).get(0), -1);

        await("lost").atMost(TestTime.scaled(Duration.ofSeconds(10))).until(() -> lease.state() == LeaseState.LOST);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
    }

    /** U4: a waiter whose node was deleted is not granted the lock; it stands in line anew. */
    @Test
    @Tag("slow")
    void aWaiterWhoseNodeWasDeletedStandsInLineAnew() throws Exception {
        Holdfast a = open(Holdfast.open(url()));
        Holdfast b = open(Holdfast.open(url()));
        Lease held = a.mutex("job").acquire();
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        await("b waits").until(() -> raw.nodes(root).size() == 2);
        String first = raw.nodes(root).stream()
                .max(Comparator.comparing(node -> node.substring(node.length() - 10)))
                .orElseThrow();

        raw.zk.delete(first, -1);

        await("b waits again")
                .until(() -> raw.nodes(root).size() == 2 && !raw.nodes(root).contains(first));
        assertThat(waiting).isNotDone();
        held.close();
        waiting.get().close();
    }

    /** Promise 6: a release whose node was deleted by a revocation before it arrived is not a release. */
    @Test
    void aReleaseThatComesAfterARevocationDoesNotSayReleased() throws Exception {
        for (String mode : List.of("?mode=sequential", "?mode=single")) {
            String name = "job" + mode.length();
            TcpProxy proxy = open(TcpProxy.to(server()));
            Holdfast holder = open(Holdfast.open(url(proxy) + mode));
            Holdfast operator = open(Holdfast.open(url() + mode));
            Lease lease = holder.mutex(name).acquire(waitUpTo(PATIENCE));
            proxy.replies().delay(Duration.ofMillis(500));

            operator.revoke(name, Revocation.NOW);

            assertThat(lease.release()).as(mode).isNotEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    /**
     * U32: the holder changes between the look of a revocation and its end. What is ended, and what is answered, is of the
     * holder that the last look saw; the holder that left is not written into the node of the next.
     */
    @Test
    void aRevocationDuringAChangeOfHoldersIsOfTheHolderThatItSaw() throws Exception {
        for (String mode : List.of("?mode=sequential", "?mode=single")) {
            String name = "job" + mode.length();
            TcpProxy proxy = open(TcpProxy.to(server()));
            Holdfast first =
                    open(Holdfast.builder().url(url() + mode).label("first").open());
            Holdfast second =
                    open(Holdfast.builder().url(url() + mode).label("second").open());
            LockStore operator = store(url(proxy) + mode);
            Holdfast keeps = client(operator);
            assertThat(keeps.inspect(name)).isNotNull();
            Lease leaving = first.mutex(name).acquire(ttl(Duration.ofSeconds(30)));
            proxy.replies().delay(Duration.ofMillis(700));
            long delayed = proxy.replies().delayed();
            CompletableFuture<RevokeResult> revoking =
                    operator.revoke(name, Revocation.AT_LEASE_END).toCompletableFuture();
            await("the server has answered both questions of the look")
                    .until(() -> proxy.replies().delayed() >= delayed + 2);

            assertThat(leaving.release()).as(mode).isEqualTo(ReleaseOutcome.RELEASED);
            Lease coming = second.mutex(name).acquire(ttl(Duration.ofSeconds(12)));

            boolean inTime = proxy.replies().delayed() == delayed + 2;
            proxy.replies().delay(Duration.ZERO);
            RevokeResult answer;
            try {
                answer = revoking.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException unanswered) {
                // The operator's patience is its I/O timeout; whatever it did must still be of the holder of now.
                answer = new RevokeResult.NotHeld();
            }
            // On a busy machine the holder may change after the revocation: then it was the first holder's, as it
            // should be.
            if (inTime && answer instanceof RevokeResult.Revoked revoked) {
                assertThat(revoked.opensIn()).as(mode).isLessThanOrEqualTo(Duration.ofSeconds(12));
            }
            assertThat(second.inspect(name).orElseThrow().holders()).as(mode).allSatisfy(holder -> {
                assertThat(holder.label()).contains("second");
                assertThat(holder.token()).isEqualTo(coming.token());
            });
            coming.close();
        }
    }

    private static ContractClient attached(ContractWorld world, LockStore store) {
        TestTime time = world.fixture().time();
        store.attach(new StoreContext(
                time.ticker(), time.scheduler(), Runnable::run, ThreadLocalRandom.current(), new NoSignals()));
        return new ContractClient(store);
    }

    /** Ignores all signals. */
    private static final class NoSignals implements StoreSignals {
        @Override
        public void lost(HolderId holder, LossReason reason) {}

        @Override
        public void disconnected() {}

        @Override
        public void connected() {}
    }
}
