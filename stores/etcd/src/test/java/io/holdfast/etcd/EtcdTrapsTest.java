package io.holdfast.etcd;

import static io.holdfast.LockOptions.waitUpTo;
import static io.holdfast.tck.ContractClient.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.EtcdServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Refused;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Ticket;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Known traps of locks in etcd, on one real server. */
class EtcdTrapsTest {
    private static EtcdServer server;
    private final Kit kit = new Kit();

    @BeforeAll
    static void start() {
        server = EtcdServer.open();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void closeAll() throws Exception {
        kit.close();
    }

    @Test
    @DisplayName("U4: the key that an operator deletes is a loss at once, though the lease is kept alive")
    void theDeletionOfTheOwnKeyIsToldAtOnce() throws Exception {
        Kit.Signals signals = new Kit.Signals();
        ContractClient a = kit.store(url("deleted"), signals);
        Client operator = kit.operator(server);
        Claim claim = Ask.exclusive("job").claim();
        a.granted(claim);
        KeyValue key = Kit.keys(operator, "deleted/holdfast/queue/").get(0);

        operator.getKVClient().delete(key.getKey()).get(10, TimeUnit.SECONDS);

        Kit.eventually("the loss is told").until(() -> signals.lost.get(claim.holder()) == LossReason.GONE);
        assertThat(operator.getLeaseClient()
                        .keepAliveOnce(key.getLease())
                        .get(10, TimeUnit.SECONDS)
                        .getTTL())
                .as("the lease itself lives")
                .isPositive();
        a.lost(claim);
    }

    @Test
    @DisplayName("U4: a renewal finds a deleted key without any watch")
    void aRenewalFindsTheDeletedKey() throws Exception {
        ContractClient a = kit.store(url("renewal"));
        Client operator = kit.operator(server);
        Claim claim = Ask.exclusive("job").claim();
        a.granted(claim);
        operator.getKVClient()
                .delete(Kit.keys(operator, "renewal/holdfast/queue/").get(0).getKey())
                .get(10, TimeUnit.SECONDS);

        assertThat(a.renew(claim)).isInstanceOf(RenewResult.Lost.class);
    }

    @Test
    @DisplayName("U4: a lease that an operator revokes is a loss at once, and the next in line is served")
    void aRevokedEtcdLeaseIsToldAtOnce() throws Exception {
        Client operator = kit.operator(server);
        Holdfast a = kit.opening(Holdfast.open(url("revoked")));
        Holdfast b = kit.opening(Holdfast.open(url("revoked")));
        Lease lease = a.mutex("job").acquire(waitUpTo(Kit.PATIENCE));
        List<Loss> told = new CopyOnWriteArrayList<>();
        lease.onLost(told::add);
        long leaseId = Kit.keys(operator, "revoked/holdfast/queue/").get(0).getLease();

        operator.getLeaseClient().revoke(leaseId).get(10, TimeUnit.SECONDS);

        Kit.eventually("the loss is told").until(() -> lease.state() == LeaseState.LOST && !told.isEmpty());
        assertThat(told.get(0).reason()).as("not the end of its TTL").isEqualTo(LossReason.GONE);
        try (Lease next = b.mutex("job").acquire(waitUpTo(Kit.PATIENCE))) {
            assertThat(next.token()).isGreaterThan(lease.token());
        }
        lease.close();
        // The client asks for another etcd lease when it needs one.
        a.mutex("job").acquire(waitUpTo(Kit.PATIENCE)).close();
    }

    @Test
    @DisplayName("U3: a grant on an aged lease ends before its key does")
    void aGrantOnAnAgedLeaseEndsBeforeItsKeyDoes() throws Exception {
        Kit.Signals signals = new Kit.Signals();
        TcpProxy proxy = kit.opening(TcpProxy.to(server));
        ContractClient a = kit.store("etcd://127.0.0.1:" + proxy.port() + "?namespace=aged", signals);
        Client operator = kit.operator(server);
        Duration ttl = Duration.ofSeconds(3);
        a.granted(Ask.exclusive("first").ttl(ttl));
        kit.elapse(Duration.ofMillis(900));
        Granted grant = a.granted(Ask.exclusive("second").ttl(ttl));

        proxy.cut();
        long end = grant.term().sentNanos() + grant.term().nanos();
        Kit.eventually("the term has ended").until(() -> {
            boolean there = !Kit.keys(operator, "aged/holdfast/queue/second").isEmpty();
            boolean over = System.nanoTime() - end > 0;
            assertThat(there || over)
                    .as("the key is there until the term is over")
                    .isTrue();
            return over;
        });
        Kit.eventually("the key goes").until(() -> Kit.keys(operator, "aged/").isEmpty());
    }

    @Test
    @DisplayName("a compaction while the watch is broken loses no event")
    void aCompactionWhileTheWatchIsBrokenLosesNoEvent() throws Exception {
        TcpProxy proxy = kit.opening(TcpProxy.to(server));
        ContractClient a = kit.store(url("compacted"));
        ContractClient b = kit.store("etcd://127.0.0.1:" + proxy.port() + "?namespace=compacted");
        Client operator = kit.operator(server);
        Claim held = Ask.exclusive("job").claim();
        a.granted(held);
        Ticket ticket = b.queued(Ask.exclusive("job").claim());

        proxy.refuseConnections();
        proxy.closeConnections();
        a.released(held);
        compact(operator);
        proxy.acceptConnections();

        answer(ticket.granted());
    }

    @Test
    @DisplayName("a watch that comes after what it waits for, and after its compaction, says so with its creation")
    void aWatchThatComesTooLateSaysSoWithItsCreation() throws Exception {
        TcpProxy proxy = kit.opening(TcpProxy.to(server));
        ContractClient a = kit.store(url("late"));
        ContractClient b = kit.storeWithoutTimers("etcd://127.0.0.1:" + proxy.port() + "?namespace=late");
        Client operator = kit.operator(server);
        Claim held = Ask.exclusive("job").claim();
        a.granted(held);
        proxy.requests().delay(Duration.ofMillis(800));
        Ticket ticket = b.queued(Ask.exclusive("job").claim());

        a.released(held);
        compact(operator);
        proxy.restore();

        answer(ticket.granted());
    }

    @Test
    @DisplayName("L2: a key whose request had an unknown outcome goes, though its lease is kept alive for others")
    void aKeyOfNoClaimIsDeleted() throws Exception {
        TcpProxy proxy = kit.opening(TcpProxy.to(server));
        ContractClient a = kit.store("etcd://127.0.0.1:" + proxy.port() + "?namespace=swept&ioTimeout=400ms");
        Client operator = kit.operator(server);
        Claim kept = Ask.exclusive("kept").ttl(Duration.ofSeconds(6)).claim();
        a.granted(kept);
        proxy.replies().cut();
        Claim lost = Ask.exclusive("job").ttl(Duration.ofSeconds(6)).claim();
        assertThatThrownBy(() -> a.enqueue(lost))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());
        Kit.eventually("the key is there")
                .until(() -> !Kit.keys(operator, "swept/holdfast/queue/job").isEmpty());
        proxy.restore();

        Kit.eventually("the key goes").until(() -> {
            a.renewed(kept);
            return Kit.keys(operator, "swept/holdfast/queue/job").isEmpty();
        });
        a.renewed(kept);
    }

    @Test
    @DisplayName("a transaction that was lost on its way there or back leaves nothing behind after its release")
    void lostMessagesLeaveNothing() throws Exception {
        TcpProxy proxy = kit.opening(TcpProxy.to(server));
        ContractClient a = kit.store("etcd://127.0.0.1:" + proxy.port() + "?namespace=lost&ioTimeout=400ms");
        Client operator = kit.operator(server);
        a.granted(Ask.exclusive("other"));
        for (boolean reply : new boolean[] {true, false}) {
            Claim claim = Ask.exclusive("job").claim();
            if (reply) {
                proxy.replies().drop();
            } else {
                proxy.requests().drop();
            }
            assertThatThrownBy(() -> a.tryAcquire(claim)).isInstanceOf(StoreUnavailableException.class);
            proxy.restore();
            Kit.eventually("released").until(() -> {
                a.release(claim);
                return true;
            });
            assertThat(Kit.keys(operator, "lost/holdfast/queue/job")).isEmpty();
            a.refused(claim);
        }
    }

    @Test
    @DisplayName("Q2: a cancelled or interrupted waiter leaves no key")
    void aCancelledWaiterLeavesNoKey() throws Exception {
        Holdfast a = kit.opening(Holdfast.open(url("cancelled")));
        Holdfast b = kit.opening(Holdfast.open(url("cancelled")));
        Client operator = kit.operator(server);
        Lease lease = a.mutex("job").acquire(waitUpTo(Kit.PATIENCE));
        var future = b.mutex("job").acquireAsync(waitUpTo(Kit.PATIENCE));
        Kit.eventually("b waits").until(() -> Kit.keys(operator, "cancelled/").size() == 2);

        future.cancel(false);

        Kit.eventually("b left").until(() -> Kit.keys(operator, "cancelled/").size() == 1);
        lease.close();
        assertThat(Kit.keys(operator, "cancelled/")).isEmpty();
    }

    @Test
    @DisplayName("L10: the lock-delay of a client that died closes the name, and ends by itself")
    void theLockDelayOfADeadClientClosesTheName() throws Exception {
        TcpProxy proxy = kit.opening(TcpProxy.to(server));
        ContractClient dead = kit.store("etcd://127.0.0.1:" + proxy.port() + "?namespace=delayed&ioTimeout=400ms");
        ContractClient b = kit.store(url("delayed"));
        Client operator = kit.operator(server);
        Duration delay = Duration.ofSeconds(3);
        dead.granted(Ask.exclusive("job").ttl(Duration.ofSeconds(1)).lockDelay(delay));
        Ticket ticket = b.queued(Ask.exclusive("job").claim());

        proxy.cut();
        Kit.eventually("the dead client's key goes")
                .until(() -> Kit.keys(operator, "delayed/holdfast/queue/job").size() == 1);
        long gone = System.nanoTime();
        Refused refused = b.refused(Ask.exclusive("job").claim());

        assertThat(refused.inLockDelay()).isTrue();
        assertThat(ticket.granted().toCompletableFuture()).isNotDone();
        answer(ticket.granted());
        assertThat(Duration.ofNanos(System.nanoTime() - gone))
                .isGreaterThan(delay.minusMillis(500))
                .isLessThan(delay.plusSeconds(8));
    }

    @Test
    @DisplayName("Q1: 500 waiters on one name are served in their order, each once")
    void fiveHundredWaitersAreServedInTheirOrder() throws Exception {
        ContractClient[] clients = {kit.store(url("crowd")), kit.store(url("crowd"))};
        Client operator = kit.operator(server);
        Claim holder = Ask.exclusive("job").claim();
        long last = clients[0].granted(holder).token();
        List<Claim> claims = new ArrayList<>();
        List<Ticket> tickets = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Claim claim = Ask.exclusive("job").claim();
            claims.add(claim);
            tickets.add(clients[i % 2].queued(claim));
        }
        Claim current = holder;
        for (int i = 0; i < 500; i++) {
            clients[(i + 1) % 2].released(current);
            Granted grant = answer(tickets.get(i).granted());
            assertThat(grant.token()).isGreaterThan(last);
            assertThat(i == 499
                            || !tickets.get(i + 1)
                                    .granted()
                                    .toCompletableFuture()
                                    .isDone())
                    .as("no claim overtakes another")
                    .isTrue();
            last = grant.token();
            current = claims.get(i);
        }
        clients[1].released(current);
        assertThat(Kit.keys(operator, "crowd/")).isEmpty();
    }

    @Test
    @DisplayName("S3: tokens come from revisions and rise when every key was deleted; tokenBase is added")
    void tokensComeFromRevisions() throws Exception {
        Client operator = kit.operator(server);
        ContractClient a = kit.store(url("tokens"));
        Claim claim = Ask.exclusive("job").span(256).claim();
        Granted first = a.granted(claim);
        assertThat(first.token() % 256).isZero();
        assertThat(first.span()).as("a span for a whole local queue").isEqualTo(256);
        assertThat(first.token() / 256)
                .isEqualTo(Kit.keys(operator, "tokens/holdfast/queue/").get(0).getCreateRevision());
        a.released(claim);

        Granted later = kit.store(url("tokens") + "&tokenBase=1000000000000").granted(Ask.exclusive("job"));

        assertThat(later.token()).isGreaterThan(1_000_000_000_000L + first.token());
    }

    @Test
    @DisplayName("a client uses the same keys again: dead keys in its line would slow every later acquire down")
    void keysAreUsedAgain() throws Exception {
        ContractClient a = kit.store(url("slots"));
        Client operator = kit.operator(server);
        Claim first = Ask.exclusive("job").claim();
        a.granted(first);
        ByteSequence key = Kit.keys(operator, "slots/holdfast/queue/").get(0).getKey();
        Ticket waiting = a.queued(Ask.exclusive("job").claim());
        assertThat(Kit.keys(operator, "slots/holdfast/queue/")).hasSize(2);
        a.released(first);
        answer(waiting.granted());
        answer(waiting.cancel());

        for (int i = 0; i < 5; i++) {
            Claim again = Ask.exclusive("job").claim();
            a.granted(again);
            assertThat(Kit.keys(operator, "slots/holdfast/queue/"))
                    .singleElement()
                    .satisfies(kv -> assertThat(kv.getKey()).isEqualTo(key));
            a.released(again);
        }
        a.notHeld(first);
    }

    private static void compact(Client operator) throws Exception {
        long revision = operator.getKVClient()
                .get(ByteSequence.from("x", StandardCharsets.UTF_8))
                .get(10, TimeUnit.SECONDS)
                .getHeader()
                .getRevision();
        operator.getKVClient().compact(revision).get(10, TimeUnit.SECONDS);
    }

    private static String url(String namespace) {
        return server.url() + "?namespace=" + namespace;
    }
}
