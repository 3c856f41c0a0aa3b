package io.holdfast.redlock;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a deployment keeps of itself, and how clients join and leave it. */
@Tag("slow")
@SuppressWarnings("NullAway.Init") // JUnit starts the nodes before each test
class RedlockDeploymentTest {
    private static final String OPTIONS = "ioTimeout=2s";

    private Nodes nodes;
    private Clients clients;

    @BeforeEach
    void start() {
        nodes = Nodes.settled(Duration.ofSeconds(60));
        clients = new Clients();
    }

    @AfterEach
    void stop() {
        clients.close();
        nodes.close();
    }

    /** U33, U9: the message names a node, the deployment's value and the client's. */
    @ParameterizedTest
    @CsvSource({
        "maxTtl=90s, maxTtl=60000ms, maxTtl=90000ms",
        "quarantine=off, quarantine=on, quarantine=off",
        "fsync=always, fsync=everysec, fsync=always"
    })
    void aClientWithOtherSettingsIsRefused(String option, String theirs, String ours) throws Exception {
        adoptTheUsualSettings();

        assertThatThrownBy(() -> nodes.open(OPTIONS + "&" + option))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("127.0.0.1:")
                .hasMessageContaining(theirs + " for the whole deployment")
                .hasMessageContaining("this client has " + ours);
    }

    /** A5, U33: it would have taken the quarantine from all clients that are opened later. */
    @Test
    void aClientWithoutQuarantineCannotDecideForANodeThatForgot() throws Exception {
        adoptTheUsualSettings();
        nodes.get(2).call("FLUSHALL");

        assertThatThrownBy(() -> nodes.open(OPTIONS + "&quarantine=off")).isInstanceOf(IllegalArgumentException.class);

        assertThat(nodes.get(2).call("EXISTS", "hfr:node")).isEqualTo(0L);
    }

    /** U33: nodes of a version that kept maxTtl only take over what the first client has. */
    @Test
    void aMissingSettingIsAdopted() throws Exception {
        assertThat(nodes.get(0).call("HGET", "hfr:node", "quarantine")).isNull();

        adoptTheUsualSettings();

        assertThat(nodes.get(0).call("HGET", "hfr:node", "fsync")).isEqualTo("everysec");
        assertThat(nodes.get(0).call("HGET", "hfr:node", "learned")).isEqualTo("1");
    }

    /** U31: a client that only looks must not decide what a fresh deployment keeps. */
    @Test
    void lookingAtAFreshDeploymentWritesNothing() throws Exception {
        try (Nodes fresh = Nodes.start(3)) {
            ContractClient a = clients.attach(fresh.open(OPTIONS));

            ContractClient.answer(a.store().inspect(LockQuery.name("job")));
            ContractClient.answer(a.store().inspect(LockQuery.prefix("", 10)));

            fresh.all().forEach(node -> assertThat(node.call("DBSIZE")).isEqualTo(0L));
        }
    }

    /** With login timeouts of ten minutes, a client that waits for the node that hangs would show it. */
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void aNodeThatHangsDoesNotKeepAClientFromBeingOpenedAndJoinsLater() throws Exception {
        nodes.get(0).pause();
        List<RedisURI> uris = nodes.all().stream()
                .map(node -> RedisURI.builder()
                        .withHost("127.0.0.1")
                        .withPort(node.port())
                        .withTimeout(Duration.ofMinutes(10))
                        .build())
                .toList();
        RedisClient lettuce = RedisClient.create();
        try {
            lettuce.setOptions(ClientOptions.builder().autoReconnect(false).build());
            ContractClient a = clients.attach(RedlockStore.over(lettuce, uris, ""));

            nodes.get(0).resume();
            nodes.get(1).kill();
            nodes.get(2).kill();

            // A majority without the node that hung is impossible now.
            await().atMost(TestTime.patience())
                    .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> a.tryAcquire(exclusive("job").claim()) instanceof Granted);
        } finally {
            clients.close();
            lettuce.shutdown();
        }
    }

    /** L16: votes that are on their way when the store is closed are released before its connections are dropped. */
    @Test
    void aStoreThatIsClosedDuringAVoteLeavesNoVotes() throws Exception {
        List<TcpProxy> proxies = new ArrayList<>();
        try {
            nodes.all().forEach(node -> proxies.add(TcpProxy.to(node)));
            String url = proxies.stream()
                    .map(proxy -> "127.0.0.1:" + proxy.port())
                    .collect(Collectors.joining(",", "redlock://", "?ioTimeout=10s"));
            ContractClient a = clients.attach(Nodes.open(StoreUrl.parse(url)));
            proxies.forEach(proxy -> proxy.replies().delay(Duration.ofMillis(300)));
            CompletionStage<?> asked = a.store()
                    .tryAcquire(exclusive("job").ttl(Duration.ofSeconds(60)).claim());

            a.store().close();

            nodes.all()
                    .forEach(
                            node -> assertThat(node.call("EXISTS", "hfr:l:job")).isEqualTo(0L));
            assertThat(asked.toCompletableFuture()).isCompletedExceptionally();
        } finally {
            proxies.forEach(TcpProxy::close);
        }
    }

    /** L21, S11: the release says how long other clients may pause; the own pause does not count. */
    @Test
    void aReleaseAnswersTheLongestPauseThatAnotherClientNoted() throws Exception {
        ContractClient a = clients.attach(nodes.open(OPTIONS));
        Claim held = waiting("a", Duration.ZERO);
        a.granted(held);
        for (Claim refused : List.of(
                waiting("a", Duration.ofMillis(900)),
                waiting("b", Duration.ofMillis(300)),
                waiting("c", Duration.ofMillis(500)))) {
            assertThat(a.tryAcquire(refused)).isInstanceOf(Refused.class);
        }
        // Notes are kept for 2 s; on a machine that was late for them there is no pause to answer.
        boolean noted = nodes.all().stream()
                .allMatch(node -> (Long) java.util.Objects.requireNonNull(node.call("PTTL", "hfr:n:job")) > 1000);

        ReleaseResult released = a.release(held);

        assertThat(released).isInstanceOf(ReleaseResult.Released.class);
        if (noted) {
            assertThat(released).isEqualTo(new ReleaseResult.Released(Duration.ofMillis(500)));
        }
        // A note keeps no claim out.
        a.granted(waiting("d", Duration.ZERO));
    }

    private static Claim waiting(String client, Duration pause) {
        Claim claim = exclusive("job").claim();
        return new Claim(
                claim.lockName(),
                claim.holder(),
                client,
                claim.label(),
                claim.mode(),
                claim.permits(),
                claim.ttl(),
                claim.lockDelay(),
                claim.span(),
                pause);
    }

    private void adoptTheUsualSettings() throws Exception {
        ContractClient a = clients.attach(nodes.open(OPTIONS));
        Claim claim = exclusive("job").claim();
        a.granted(claim);
        a.released(claim);
        await().atMost(TestTime.patience())
                .until(() -> nodes.all().stream()
                        .allMatch(node -> "on".equals(node.call("HGET", "hfr:node", "quarantine"))));
    }
}
