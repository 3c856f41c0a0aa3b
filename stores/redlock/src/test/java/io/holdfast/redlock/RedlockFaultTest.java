package io.holdfast.redlock;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import io.holdfast.redlock.node.NodeKeys;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What nodes and networks do to a quorum, with real servers; maxTtl is 3 s, so that quarantines pass. */
@Tag("slow")
@SuppressWarnings("NullAway.Init") // JUnit starts the nodes before each test
class RedlockFaultTest {
    private static final Duration MAX_TTL = Duration.ofSeconds(3);
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final String OPTIONS = "maxTtl=3s&ioTimeout=500ms";

    private Nodes nodes;
    private Clients clients;

    @BeforeEach
    void start() {
        nodes = Nodes.settled(MAX_TTL);
        clients = new Clients();
    }

    @AfterEach
    void stop() {
        clients.close();
        nodes.close();
    }

    @Test
    void twoOfFiveDeadNodesChangeNothing() throws Exception {
        ContractClient a = clients.attach(nodes.open(OPTIONS));
        nodes.get(0).kill();
        nodes.get(1).kill();

        Claim held = exclusive("job").ttl(TTL).claim();
        assertThat(granted(a, held).token()).isPositive();
        a.renewed(held);
        a.released(held);
    }

    @Test
    void aHungNodeCostsNoTimeoutOfItsOwn() throws Exception {
        // Node timeouts of 4 s here: an acquire that waited for a hung node would show it.
        Claim warm = exclusive("warm").ttl(MAX_TTL).claim();
        ContractClient a = clients.attach(nodes.open("maxTtl=3s&ioTimeout=4s"));
        granted(a, warm);
        a.released(warm);
        nodes.get(0).pause();
        nodes.get(1).pause();

        long quickest = Long.MAX_VALUE;
        for (int i = 0; i < 2; i++) {
            long began = System.nanoTime();
            Claim held = exclusive("job").ttl(MAX_TTL).claim();
            a.granted(held);
            a.released(held);
            quickest = Math.min(quickest, System.nanoTime() - began);
        }

        // The third answer ends the wait: a tenth of the TTL for each of the two calls would be 600 ms.
        assertThat(Duration.ofNanos(quickest)).isLessThan(Duration.ofMillis(550));
    }

    @Test
    void aLostMajorityIsUnavailableAndComesBack() throws Exception {
        ContractClient a = clients.attach(nodes.open(OPTIONS));
        long before = takeAndRelease(a);
        for (int i = 0; i < 3; i++) {
            nodes.get(i).kill();
        }
        assertThatThrownBy(() -> a.tryAcquire(exclusive("job").ttl(TTL).claim()))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("127.0.0.1:" + nodes.get(0).port());

        for (int i = 0; i < 3; i++) {
            nodes.get(i).start();
        }

        assertThat(granted(a, exclusive("job").ttl(TTL).claim()).token()).isGreaterThan(before);
    }

    /** U9: exclusion would end if the forgetful node had a vote. */
    @Test
    void aNodeThatWasFlushedHasNoVoteUntilEveryLeaseItForgotIsOver() throws Exception {
        forgetfulNodeHasNoVote(node -> node.call("FLUSHALL"));
    }

    @Test
    void aNodeThatRestartedEmptyHasNoVoteUntilEveryLeaseItForgotIsOver() throws Exception {
        forgetfulNodeHasNoVote(RedisServer::restartWithDataLoss);
    }

    private void forgetfulNodeHasNoVote(Consumer<RedisServer> forget) throws Exception {
        ContractClient a = clients.attach(nodes.open(OPTIONS));
        ContractClient b = clients.attach(nodes.open(OPTIONS));
        Claim held = exclusive("job").ttl(TTL).claim();
        // From before the grant: on a busy machine the restart of a node may take longer than the lease.
        long end = System.nanoTime() + TTL.toNanos();
        long token = granted(a, held).token();
        // As if A's votes had never reached the last two: its majority is bare.
        nodes.leaveBareMajority("job");

        forget.accept(nodes.get(2));

        while (System.nanoTime() - end < -TTL.toNanos() / 4) {
            Granted second = tried(b, exclusive("job").ttl(TTL).claim());
            if (second != null) {
                // On a busy machine the answer may come after the end of the first lease: that is no second holder.
                assertThat(System.nanoTime() - end)
                        .as("a second holder while the first lease is valid")
                        .isNotNegative();
                assertThat(second.token()).isGreaterThan(token);
                return;
            }
        }
        assertThat(granted(b, exclusive("job").ttl(TTL).claim()).token()).isGreaterThan(token);
    }

    /**
     * U26, and that the tests above can fail: one counted node that lost its data makes two holders without quarantine. A4:
     * their tokens tell them apart also if the second client's clock is behind and it has seen none of the fences.
     */
    @Test
    void withoutQuarantineTheSameFlushMakesTwoHoldersWhomOnlyTheTokensTellApart() throws Exception {
        ContractClient a = clients.attach(nodes.open(OPTIONS + "&quarantine=off"), shifted(Duration.ofMinutes(1)));
        ContractClient b = clients.attach(nodes.open(OPTIONS + "&quarantine=off"));
        // As if A's votes had never reached the last two: they have neither record nor fence of it.
        Claim held = exclusive("job").ttl(MAX_TTL).claim();
        long token = granted(a, held).token();
        nodes.leaveBareMajority("job");
        String bucket = Integer.toString(new NodeKeys("").bucket("job"));
        nodes.get(3).call("HDEL", "hfr:node", bucket);
        nodes.get(4).call("HDEL", "hfr:node", bucket);

        nodes.get(2).call("FLUSHALL");

        // B is granted by the last three while A, which renews, believes.
        long second = await().atMost(TestTime.patience())
                .pollInterval(Duration.ofMillis(20))
                .until(
                        () -> {
                            a.store().renew(List.of(held));
                            return tried(b, exclusive("job").ttl(TTL).claim());
                        },
                        grant -> grant != null)
                .token();
        assertThat(second).isGreaterThan(token);
    }

    /** U7. */
    @Test
    void aNodeThatForgotRelearnsItsFencesFromAMajorityOfTheOthers() throws Exception {
        ContractClient a = clients.attach(nodes.open(OPTIONS));
        long high = System.currentTimeMillis() * 1000 + Duration.ofMinutes(20).toMillis() * 1000;
        String bucket = Integer.toString(new NodeKeys("").bucket("job"));
        for (int i = 0; i < 3; i++) {
            nodes.get(i).call("HSET", "hfr:node", bucket, Long.toString(high + i));
        }
        nodes.get(0).call("FLUSHALL");
        takeAndRelease(a);
        assertThat(nodes.get(0).call("HGET", "hfr:node", "learned")).isEqualTo("0");

        await().atMost(TestTime.patience()).untilAsserted(() -> {
            takeAndRelease(a);
            assertThat(nodes.get(0).call("HGET", "hfr:node", "learned")).isEqualTo("1");
        });

        long floor = Long.parseLong(String.valueOf(nodes.get(0).call("HGET", "hfr:node", "floor")));
        assertThat(floor).isGreaterThanOrEqualTo(high + 2);
    }

    @Test
    void aFreshDeploymentWaitsOnceAndSaysForHowLong() throws Exception {
        try (Nodes fresh = Nodes.start(5)) {
            ContractClient a = clients.attach(fresh.open(OPTIONS));

            assertThatThrownBy(() -> a.tryAcquire(exclusive("job").ttl(TTL).claim()))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("quarantine for")
                    .hasMessageContaining(" s more")
                    .hasMessageContaining("127.0.0.1:" + fresh.get(4).port());

            granted(a, exclusive("job").ttl(TTL).claim());
        }
    }

    /** A changed run id is no loss with fsync=always; a missing key is. */
    @Test
    void withFsyncAlwaysARestartIsNoLossAndAFlushIs() throws Exception {
        ContractClient a = clients.attach(nodes.open(OPTIONS + "&fsync=always"));
        takeAndRelease(a);
        for (RedisServer node : nodes.all()) {
            node.call("HSET", "hfr:node", "run", "another");
        }
        takeAndRelease(a);
        assertThat(nodes.get(0).call("HGET", "hfr:node", "learned")).isEqualTo("1");

        nodes.get(0).call("FLUSHALL");
        takeAndRelease(a);

        assertThat(nodes.get(0).call("HGET", "hfr:node", "learned")).isEqualTo("0");
    }

    @Test
    void repliesLostAtAMajorityLeaveNothingThatOutlivesTheCall() throws Exception {
        List<TcpProxy> proxies = new ArrayList<>();
        try {
            nodes.all().forEach(node -> proxies.add(TcpProxy.to(node)));
            String url = proxies.stream()
                    .map(proxy -> "127.0.0.1:" + proxy.port())
                    .collect(Collectors.joining(",", "redlock://", "?" + OPTIONS));
            ContractClient cut = clients.attach(Nodes.open(StoreUrl.parse(url)));
            ContractClient other = clients.attach(nodes.open(OPTIONS));
            Claim lostReplies = exclusive("job").ttl(TTL).claim();
            proxies.subList(0, 3).forEach(proxy -> proxy.replies().drop());

            assertThatThrownBy(() -> cut.tryAcquire(lostReplies))
                    .isInstanceOfSatisfying(
                            StoreUnavailableException.class,
                            failure -> assertThat(failure.outcomeUnknown()).isTrue());

            // The withdrawal reached every node, also those whose answers are lost: nobody waits for the TTL.
            for (RedisServer node : nodes.all()) {
                await().atMost(TestTime.patience())
                        .untilAsserted(() ->
                                assertThat(node.call("EXISTS", "hfr:l:job")).isEqualTo(0L));
            }
            granted(other, exclusive("job").ttl(TTL).claim());
        } finally {
            proxies.forEach(TcpProxy::close);
        }
    }

    /** L1: the vote is executed after the withdrawal of its proposal. */
    @Test
    void aVoteThatArrivesAfterItsReleaseDoesNotCloseTheLock() throws Exception {
        ContractClient a = clients.attach(nodes.open(OPTIONS));
        Claim late = exclusive("job").ttl(TTL).claim();
        a.notHeld(late);

        a.refused(late);

        a.nothingLeft("job");
    }

    /** U27: it would otherwise burn the numbers of the next two hours. */
    @Test
    void aClientWhoseClockIsTwoHoursAheadCountsOnFromTheNodesFences() throws Exception {
        ContractClient right = clients.attach(nodes.open(OPTIONS));
        ContractClient ahead = clients.attach(nodes.open(OPTIONS), shifted(Duration.ofHours(2)));
        long first = takeAndRelease(right);

        long second = takeAndRelease(ahead);

        assertThat(second).isGreaterThan(first).isLessThan(first + 3_600_000_000L);
        assertThat(takeAndRelease(right)).isGreaterThan(second);
    }

    @Test
    void aClientWhoseClockIsTwoHoursBehindProposesAboveTheFences() throws Exception {
        ContractClient right = clients.attach(nodes.open(OPTIONS));
        ContractClient behind = clients.attach(nodes.open(OPTIONS), shifted(Duration.ofHours(-2)));
        long first = takeAndRelease(right);

        long second = takeAndRelease(behind);

        assertThat(second).isGreaterThan(first);
        assertThat(takeAndRelease(right)).isGreaterThan(second);
    }

    private static Ticker shifted(Duration by) {
        return new Ticker() {
            @Override
            public long nanos() {
                return Ticker.system().nanos();
            }

            @Override
            public long wallMicros() {
                return Ticker.system().wallMicros() + by.toMillis() * 1000;
            }
        };
    }

    @Test
    void tokensRiseWhileNodesForgetOneAfterTheOther() throws Exception {
        ContractClient[] both = {clients.attach(nodes.open(OPTIONS)), clients.attach(nodes.open(OPTIONS))};
        long last = 0;
        for (int i = 0; i < 60; i++) {
            if (i % 20 == 10) {
                nodes.get(i / 20).call("FLUSHALL");
            }
            if (i == 35) {
                nodes.get(4).restartWithDataLoss();
            }
            Claim claim = exclusive("job").ttl(TTL).claim();
            long token = granted(both[i % 2], claim).token();
            assertThat(token).isGreaterThan(last);
            last = token;
            both[i % 2].release(claim);
        }
    }

    private static long takeAndRelease(ContractClient client) throws Exception {
        Claim claim = exclusive("job").ttl(TTL).claim();
        long token = granted(client, claim).token();
        client.release(claim);
        return token;
    }

    /** Tries, as a pull loop does, until it is granted. */
    private static Granted granted(ContractClient client, Claim claim) {
        return await().atMost(TestTime.patience())
                .pollInterval(Duration.ofMillis(20))
                .until(() -> tried(client, claim), grant -> grant != null);
    }

    private static @Nullable Granted tried(ContractClient client, Claim claim) throws Exception {
        try {
            return client.tryAcquire(claim) instanceof Granted grant ? grant : null;
        } catch (StoreUnavailableException unavailable) {
            return null;
        }
    }
}
