package io.holdfast.redis;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.redis.RedisGuard;
import io.holdfast.redis.claim.LockKeys;
import io.holdfast.redis.wire.ClientConnector;
import io.holdfast.servers.RedisOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.tck.TestTime;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real faults of real servers: after each, the promises hold, no key is left behind and no waiter is stuck. */
@Tag("slow")
class RedisFaultTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    private static final Duration TTL = Duration.ofSeconds(3);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    @AfterEach
    void closeAll() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    /** The textbook double grant, and what fencing makes of it. */
    @Test
    void aFailoverThatLostTheGrantMakesTwoHoldersAndTheOlderOnesGuardedWriteIsRefused() throws Exception {
        RedisServer primary = open(RedisServer.open());
        TcpProxy link = open(TcpProxy.to(primary));
        RedisServer replica = open(RedisServer.open(RedisOptions.defaults().replicaOf(link.port())));
        replica.awaitReplicating();
        Holdfast a = open(Holdfast.open(primary.url()));
        a.mutex("job").acquire().close();
        String[] keys = new LockKeys("").lock("job");
        await("the replica has caught up")
                .until(() -> Long.valueOf(1).equals(replica.call("EXISTS", keys[1]))
                        && Long.valueOf(0).equals(replica.call("EXISTS", keys[0])));
        link.cut();
        Lease first = a.mutex("job").acquire(waitUpTo(PATIENCE).ttl(Duration.ofSeconds(30)));

        long granted = System.nanoTime();

        primary.kill();
        replica.call("REPLICAOF", "NO", "ONE");
        // U6: after a loss tokens are larger if more than 200 ms have passed; no Sentinel is as fast as this test.
        await("200 ms")
                .until(() ->
                        System.nanoTime() - granted > Duration.ofMillis(200).toNanos());
        Holdfast b = open(Holdfast.open(replica.url()));
        Lease second = b.mutex("job").acquire(waitUpTo(PATIENCE));

        assertThat(first.state())
                .as("the older holder believes in its lease")
                .isIn(LeaseState.HELD, LeaseState.JEOPARDY);
        assertThat(first.remaining()).isPositive();
        assertThat(second.token()).isGreaterThan(first.token());
        RedisClient data = RedisClient.create(replica.url());
        opened.push(data::shutdown);
        RedisGuard guard = RedisGuard.of(data.connect().sync(), "stock", "job");
        guard.admit(second.sequencer());
        guard.set(second.sequencer(), "stock", "of the newer");
        assertThatThrownBy(() -> guard.set(first.sequencer(), "stock", "of the older"))
                .isInstanceOf(StaleTokenException.class);
        assertThat(replica.call("GET", "stock")).isEqualTo("of the newer");
        second.close();
    }

    @Test
    void aPausedServerMeansJeopardyAndAResumedOneHeldAgain() throws Exception {
        RedisServer server = open(RedisServer.open());
        Holdfast a = open(Holdfast.open(server.url() + "?ioTimeout=300ms"));
        Lease lease = a.mutex("job").acquire(ttl(Duration.ofSeconds(6)));

        server.pause();
        await("jeopardy").until(() -> lease.state() == LeaseState.JEOPARDY);
        assertThat(lease.remaining()).isPositive();
        server.resume();

        await("held").until(() -> lease.state() == LeaseState.HELD);
        lease.close();
        nothingLeft(server);
    }

    @Test
    void aServerThatIsPausedForLongerThanTheTtlLosesTheLeaseAtItsLocalDeadline() throws Exception {
        RedisServer server = open(RedisServer.open());
        Holdfast a = open(Holdfast.open(server.url() + "?ioTimeout=300ms"));
        Lease lease = a.mutex("job").acquire(ttl(Duration.ofSeconds(1)));
        AtomicReference<Loss> loss = lossOf(lease);

        server.pause();

        await("lost").until(() -> loss.get() != null);
        assertThat(reason(loss)).isEqualTo(LossReason.EXPIRED);
        server.resume();
        await("granted again").until(() -> {
            Optional<Lease> next = tryQuietly(a);
            next.ifPresent(Lease::close);
            return next.isPresent();
        });
        nothingLeft(server);
    }

    /** L1: the late request meets the tombstone of its release. */
    @Test
    void aLostRequestLeavesNothing() throws Exception {
        lostMessagesLeaveNothing(true);
    }

    @Test
    void aLostReplyLeavesNothing() throws Exception {
        lostMessagesLeaveNothing(false);
    }

    private void lostMessagesLeaveNothing(boolean requests) throws Exception {
        RedisServer server = open(RedisServer.open());
        TcpProxy proxy = open(TcpProxy.to(server));
        Holdfast a = open(Holdfast.open("redis://127.0.0.1:" + proxy.port() + "?ioTimeout=300ms"));
        a.mutex("job").acquire().close();
        if (requests) {
            proxy.requests().drop();
        } else {
            proxy.replies().drop();
        }

        assertThatThrownBy(() -> a.mutex("job").acquire(waitUpTo(Duration.ofMillis(500))))
                .isInstanceOf(HoldfastException.class);
        assertThat((requests ? proxy.requests() : proxy.replies()).dropped()).isPositive();
        proxy.restore();

        Holdfast b = open(Holdfast.open(server.url()));
        b.mutex("job").acquire(waitUpTo(PATIENCE)).close();
        a.mutex("job").acquire(waitUpTo(PATIENCE)).close();
        nothingLeft(server);
    }

    @Test
    void aLostConnectionIsJeopardyAtOnceAndHealsByItself() throws Exception {
        RedisServer server = open(RedisServer.open());
        TcpProxy proxy = open(TcpProxy.to(server));
        Holdfast a = open(Holdfast.open("redis://127.0.0.1:" + proxy.port()));
        Lease lease = a.mutex("job").acquire(ttl(Duration.ofMinutes(1)));
        long token = lease.token();

        proxy.refuseConnections();
        proxy.closeConnections();
        await("jeopardy").until(() -> lease.state() == LeaseState.JEOPARDY);
        assertThat(lease.remaining()).as("long before a renewal was due").isGreaterThan(Duration.ofSeconds(40));
        proxy.acceptConnections();

        await("held").until(() -> lease.state() == LeaseState.HELD);
        assertThat(lease.token()).isEqualTo(token);
        lease.close();
        nothingLeft(server);
    }

    @Test
    void aSilentNetworkIsNoticedAndAnotherConnectionIsOpened() throws Exception {
        RedisServer server = open(RedisServer.open());
        TcpProxy proxy = open(TcpProxy.to(server));
        Holdfast a = open(Holdfast.open("redis://127.0.0.1:" + proxy.port() + "?ioTimeout=200ms"));
        Lease lease = a.mutex("job").acquire(ttl(Duration.ofSeconds(20)));
        long before = proxy.accepted();
        proxy.replies().drop();

        await("another connection").until(() -> proxy.accepted() > before);
        proxy.restore();

        await("held").until(() -> lease.state() == LeaseState.HELD);
        lease.close();
        nothingLeft(server);
    }

    @Test
    void aServerThatCameBackEmptyTellsTheHolderAndNeverGrantsAnOldTokenAgain() throws Exception {
        RedisServer server = open(RedisServer.open());
        Holdfast a = open(Holdfast.open(server.url()));
        Lease lease = a.mutex("job").acquire(ttl(Duration.ofSeconds(30)));
        AtomicReference<Loss> loss = lossOf(lease);

        server.restartWithDataLoss();

        await("lost").until(() -> loss.get() != null);
        assertThat(reason(loss)).isEqualTo(LossReason.GONE);
        lease.close();
        Lease next = a.mutex("job").acquire(waitUpTo(PATIENCE));
        assertThat(next.token()).isGreaterThan(lease.token());
        next.close();
        nothingLeft(server);
    }

    @Test
    void flushallUnderAHolderIsALossAndNotANewGrant() throws Exception {
        RedisServer server = open(RedisServer.open());
        Holdfast a = open(Holdfast.open(server.url()));
        Lease lease = a.mutex("job").acquire(ttl(TTL));
        AtomicReference<Loss> loss = lossOf(lease);

        server.call("FLUSHALL");

        await("lost").until(() -> loss.get() != null);
        assertThat(reason(loss)).isEqualTo(LossReason.GONE);
        assertThat(server.call("KEYS", "*:l:*")).isEqualTo(List.of());
    }

    @Test
    void flushallUnderAQueueLosesNobodyWhoWaits() throws Exception {
        RedisServer server = open(RedisServer.open());
        Holdfast a = open(Holdfast.open(server.url()));
        Holdfast b = open(Holdfast.open(server.url()));
        Lease held = a.mutex("job").acquire(ttl(Duration.ofSeconds(30)));
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        awaitWaiter(a);

        server.call("FLUSHALL");

        waiting.get().close();
        held.close();
    }

    @Test
    void aKilledServerWithAppendOnlyFileKeepsWhatIsOlderThanASecond() throws Exception {
        RedisOptions everysec =
                RedisOptions.defaults().option("appendonly", "yes").option("appendfsync", "everysec");
        RedisServer server = open(RedisServer.open(everysec));
        Holdfast a = open(Holdfast.open(server.url()));
        Lease lease = a.mutex("job").acquire(ttl(Duration.ofSeconds(30)));
        server.call("SET", "written", "afterwards");
        await("fsync")
                .until(() -> "0".equals(server.info("persistence").get("aof_pending_bio_fsync"))
                        && server.info("persistence")
                                .getOrDefault("aof_buffer_length", "1")
                                .equals("0"));

        server.kill();
        await("jeopardy").until(() -> lease.state() == LeaseState.JEOPARDY);
        server.start();
        server.call("DEL", "written");

        await("held").until(() -> lease.state() == LeaseState.HELD);
        lease.close();
        nothingLeft(server);
    }

    /** U18: WAIT on the connection that wrote. */
    @Test
    void aGrantThatTooFewReplicasHaveIsTakenBackWithAnErrorThatSaysSo() throws Exception {
        RedisServer primary = open(RedisServer.open());
        RedisServer replica = open(RedisServer.open(RedisOptions.defaults().replicaOf(primary)));
        replica.awaitReplicating();
        Holdfast a = open(Holdfast.open(primary.url() + "?replicas=1&ioTimeout=600ms"));
        Lease lease = a.mutex("job").acquire(ttl(TTL));
        assertThat(replica.call("EXISTS", new LockKeys("").lock("job")[0])).isEqualTo(1L);
        assertThat(primary.calls("wait")).isPositive();
        AtomicReference<Loss> loss = lossOf(lease);

        replica.pause();
        assertThatThrownBy(() -> a.mutex("other").acquire(waitUpTo(Duration.ofMillis(700))))
                .isInstanceOf(HoldfastException.class)
                .hasMessageContaining("replicas=1");
        await("lost, for its renewals reach no replica").until(() -> loss.get() != null);

        replica.resume();
        await("replicated again").until(() -> {
            Optional<Lease> next = tryQuietly(a);
            next.ifPresent(Lease::close);
            return next.isPresent();
        });
        nothingLeft(primary);
    }

    /** U18, L3: a pushed grant is confirmed by the waiter's own renewal and WAIT. */
    @Test
    void aPushedGrantIsConfirmedOnTheReplicasBeforeItIsUsed() throws Exception {
        RedisServer primary = open(RedisServer.open());
        RedisServer replica = open(RedisServer.open(RedisOptions.defaults().replicaOf(primary)));
        replica.awaitReplicating();
        Holdfast a = open(Holdfast.open(primary.url() + "?replicas=1"));
        Holdfast b = open(Holdfast.open(primary.url() + "?replicas=1"));
        Lease held = a.mutex("job").acquire(ttl(Duration.ofSeconds(30)));
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        awaitWaiter(a);
        long waits = primary.calls("wait");

        held.close();

        Lease pushed = waiting.get();
        assertThat(primary.calls("wait")).isGreaterThan(waits);
        assertThat(pushed.remaining()).isGreaterThan(Duration.ofSeconds(20));
        assertThat(String.valueOf(replica.call("GET", new LockKeys("").lock("job")[0])))
                .contains(" " + pushed.token() + " ");
        pushed.close();
        nothingLeft(primary);
    }

    /** L16: the renewal that confirms a pushed grant arrives, and its answer is cut off. */
    @Test
    void aConfirmationThatIsCutOffDoesNotCloseTheLock() throws Exception {
        RedisServer server = open(RedisServer.open());
        RedisURI uri = RedisURI.create(server.url());
        RedisClient lettuce = RedisClient.create(uri);
        opened.push(lettuce::shutdown);
        OwnConnections connections = OwnConnections.of(lettuce);
        RedisConfig usual = RedisConfig.DEFAULTS;
        RedisConfig patient = new RedisConfig(
                "", Duration.ofSeconds(60), false, usual.pauseMin(), usual.pauseRandom(), 0, usual.acceptEviction());
        Holdfast a = open(Holdfast.open(server.url()));
        Holdfast b = open(Holdfast.builder()
                .store(RedisLockStore.opened(ClientConnector.over(lettuce, uri), patient, "redis://test"))
                .open());
        LockOptions confirmed = ttl(Duration.ofMinutes(3)).lockDelay(Duration.ofMinutes(3));
        // The server learns the script that confirms: the answer that it does not know it would be cut off as well.
        Lease before = a.mutex("job").acquire(ttl(Duration.ofMinutes(1)));
        CompletableFuture<Lease> passed = b.mutex("job").acquireAsync(confirmed);
        awaitWaiter(a);
        before.close();
        passed.get().close();
        Lease held = a.mutex("job").acquire(ttl(Duration.ofMinutes(1)));
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(confirmed);
        awaitWaiter(a);
        await("subscribed").until(() -> server.calls("subscribe") == 1);
        String key = new LockKeys("").lock("job")[0];

        connections.replies("OFF");
        held.close();
        await("confirmed at the server")
                .until(() -> String.valueOf(server.call("GET", key)).matches("(?s)-\n\\w+ \\d+ \\. .*"));
        connections.calls().close();

        Lease next = waiting.get();
        assertThat(next.state()).isEqualTo(LeaseState.HELD);
        next.close();
        nothingLeft(server);
    }

    /** L3: the slow poll finds a grant whose message was lost. */
    @Test
    void aLostNotificationDelaysTheWaiterByAtMostTwoSeconds() throws Exception {
        RedisServer server = open(RedisServer.open());
        Holdfast a = open(Holdfast.open(server.url()));
        Holdfast b = open(Holdfast.open(server.url()));
        Lease held = a.mutex("job").acquire(ttl(Duration.ofSeconds(30)));
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        await("subscribed").until(() -> server.calls("subscribe") == 1);
        server.call("ACL", "SETUSER", "default", "-subscribe");
        assertThat(server.call("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(1L);
        long start = System.nanoTime();

        held.close();

        waiting.get().close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TestTime.scaled(Duration.ofSeconds(2)));
        nothingLeft(server);
    }

    /** L3, L9: a place ends 200 ms after the wait for which it was taken, unless another local waiter took it over. */
    @Test
    void aPlaceInTheQueueOutlivesItsWaitByAFifthOfASecondAtMost() throws Exception {
        RedisServer server = open(RedisServer.open());
        Holdfast a = open(Holdfast.open(server.url()));
        Holdfast b = open(Holdfast.open(server.url()));
        Lease held = a.mutex("job").acquire(ttl(Duration.ofSeconds(30)));
        Duration wait = Duration.ofMillis(1200);
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(wait));
        String key = new LockKeys("").lock("job")[0];
        await("queued").until(() -> String.valueOf(server.call("GET", key)).startsWith("w "));

        long deadline = Long.parseLong(String.valueOf(server.call("GET", key)).split(" ")[2]);
        // The request arrived before now; a millisecond, because it was rounded up.
        assertThat(deadline).isLessThanOrEqualTo(serverMillis(server) + wait.toMillis() + 201);

        await("the wait is over").until(waiting::isDone);
        assertThat(waiting).isCompletedExceptionally();
        held.close();
        nothingLeft(server);
    }

    private static long serverMillis(RedisServer server) {
        List<?> time = (List<?>) Objects.requireNonNull(server.call("TIME"));
        return Long.parseLong(String.valueOf(time.get(0))) * 1000 + Long.parseLong(String.valueOf(time.get(1))) / 1000;
    }

    private static LockOptions ttl(Duration ttl) {
        return waitUpTo(PATIENCE).ttl(ttl);
    }

    private static AtomicReference<Loss> lossOf(Lease lease) {
        AtomicReference<Loss> loss = new AtomicReference<>();
        lease.onLost(loss::set);
        return loss;
    }

    private static LossReason reason(AtomicReference<Loss> loss) {
        return Objects.requireNonNull(loss.get()).reason();
    }

    private static Optional<Lease> tryQuietly(Holdfast client) {
        try {
            return client.mutex("job").tryAcquire();
        } catch (HoldfastException notYet) {
            return Optional.empty();
        }
    }

    private static void awaitWaiter(Holdfast client) {
        await("a waiter").until(() -> client.list("job", 1).get(0).waiting() == 1);
    }

    private static void nothingLeft(RedisServer server) {
        await("no key of a lock or queue is left")
                .until(() -> ((List<?>) Objects.requireNonNull(server.call("KEYS", "*")))
                        .stream().map(String::valueOf).allMatch(key -> key.endsWith(":f") || key.endsWith(":t")));
    }

    private static ConditionFactory await(String what) {
        return org.awaitility.Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }

    private <T extends AutoCloseable> T open(T resource) {
        opened.push(resource);
        return resource;
    }
}
