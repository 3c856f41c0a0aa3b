package io.holdfast.etcd;

import static io.holdfast.tck.ContractClient.answer;
import static org.assertj.core.api.Assertions.assertThat;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.DeleteOption;
import io.holdfast.servers.EtcdServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Ticket;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * ADR 11: a claim with a single claim before it is granted by its watch alone, and only if the watch has reported every
 * event. The stores have no timers: claims check only after an event, and no holder watches its own key, so that
 * watches can be counted.
 */
class EtcdSolePredecessorTest {
    private static EtcdServer server;
    private final Kit kit = new Kit();
    private final HttpClient http = HttpClient.newHttpClient();

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
    @DisplayName("a hand-off to the only waiter is one transaction, that of the release")
    void aHandOffIsOneTransaction() throws Exception {
        ContractClient a = kit.storeWithoutTimers(url("one"));
        ContractClient b = kit.storeWithoutTimers(url("one"));
        Claim held = Ask.exclusive("job").claim();
        a.granted(held);
        Ticket ticket = queuedAndWatching(b, Ask.exclusive("job").claim());
        double before = metric("grpc_server_handled_total", "\"Txn\"");

        a.released(held);
        Granted grant = answer(ticket.granted());

        assertThat(grant.token()).isPositive();
        assertThat(metric("grpc_server_handled_total", "\"Txn\"") - before).isEqualTo(1);
    }

    @Test
    @DisplayName("U4: a waiter whose key an operator deleted is not granted when its turn comes")
    void aDeletedWaiterIsNotGranted() throws Exception {
        ContractClient a = kit.storeWithoutTimers(url("deleted"));
        ContractClient b = kit.storeWithoutTimers(url("deleted"));
        Client operator = kit.operator(server);
        Claim held = Ask.exclusive("job").claim();
        a.granted(held);
        ByteSequence first = Kit.keys(operator, "deleted/").get(0).getKey();
        Ticket ticket = queuedAndWatching(b, Ask.exclusive("job").claim());
        ByteSequence own = Kit.keys(operator, "deleted/").stream()
                .map(kv -> kv.getKey())
                .filter(key -> !key.equals(first))
                .findFirst()
                .orElseThrow();

        operator.getKVClient().delete(own).get(10, TimeUnit.SECONDS);

        fails(ticket);
        a.released(held);
        ContractClient c = kit.storeWithoutTimers(url("deleted"));
        c.granted(Ask.exclusive("job"));
    }

    @Test
    @DisplayName("U4: a waiter whose key is deleted together with the one before it is not granted")
    void bothAreDeletedAtOnce() throws Exception {
        ContractClient a = kit.storeWithoutTimers(url("both"));
        ContractClient b = kit.storeWithoutTimers(url("both"));
        Client operator = kit.operator(server);
        a.granted(Ask.exclusive("job").claim());
        Ticket ticket = queuedAndWatching(b, Ask.exclusive("job").claim());

        operator.getKVClient()
                .delete(
                        ByteSequence.from("both/", StandardCharsets.UTF_8),
                        DeleteOption.builder().isPrefix(true).build())
                .get(10, TimeUnit.SECONDS);

        fails(ticket);
    }

    @Test
    @DisplayName("Q1: the third in line is not granted when the second leaves")
    void theThirdWaitsForTheFirst() throws Exception {
        ContractClient a = kit.storeWithoutTimers(url("third"));
        ContractClient b = kit.storeWithoutTimers(url("third"));
        ContractClient c = kit.storeWithoutTimers(url("third"));
        Claim held = Ask.exclusive("job").claim();
        a.granted(held);
        Ticket second = queuedAndWatching(b, Ask.exclusive("job").claim());
        Claim waiting = Ask.exclusive("job").claim();
        Ticket third = queuedAndWatching(c, waiting);

        answer(second.cancel());

        assertThat(a.renew(held)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(third.granted().toCompletableFuture()).isNotDone();
        a.released(held);
        answer(third.granted());
    }

    @Test
    @DisplayName("L10: a holder that vanishes leaves its lock-delay, though it was alone before the waiter")
    void aLockDelayIsWaitedFor() throws Exception {
        ContractClient a = kit.storeWithoutTimers(url("delay"));
        ContractClient b = kit.storeWithoutTimers(url("delay"));
        Client operator = kit.operator(server);
        a.granted(Ask.exclusive("job").lockDelay(Duration.ofSeconds(30)).claim());
        ByteSequence first = Kit.keys(operator, "delay/holdfast/queue/").get(0).getKey();
        Ticket ticket = queuedAndWatching(b, Ask.exclusive("job").claim());
        double before = metric("grpc_server_handled_total", "\"Txn\"");

        operator.getKVClient().delete(first).get(10, TimeUnit.SECONDS);

        Kit.eventually("b has checked").until(() -> metric("grpc_server_handled_total", "\"Txn\"") > before);
        Kit.eventually("b waits for the lock-delay").until(() -> metric("etcd_debugging_mvcc_watcher_total", "") > 0);
        assertThat(ticket.granted().toCompletableFuture()).isNotDone();
    }

    @Test
    @DisplayName("a watch that broke and that jetcd has created again grants nothing without a check")
    void aBrokenWatchCausesACheck() throws Exception {
        TcpProxy proxy = kit.opening(TcpProxy.to(server));
        ContractClient a = kit.storeWithoutTimers(url("broken"));
        ContractClient b = kit.storeWithoutTimers("etcd://127.0.0.1:" + proxy.port() + "?namespace=broken");
        Claim held = Ask.exclusive("job").claim();
        a.granted(held);
        Ticket ticket = queuedAndWatching(b, Ask.exclusive("job").claim());

        proxy.closeConnections();
        Kit.eventually("the watch is gone").until(() -> metric("etcd_debugging_mvcc_watcher_total", "") == 0);
        Kit.eventually("jetcd watches again").until(() -> metric("etcd_debugging_mvcc_watcher_total", "") == 1);
        double before = metric("grpc_server_handled_total", "\"Txn\"");
        a.released(held);

        answer(ticket.granted());
        assertThat(metric("grpc_server_handled_total", "\"Txn\"") - before)
                .as("the release, and a check")
                .isEqualTo(2);
    }

    private Ticket queuedAndWatching(ContractClient client, Claim claim) throws Exception {
        double before = metric("etcd_debugging_mvcc_watcher_total", "");
        Ticket ticket = client.queued(claim);
        Kit.eventually("it watches").until(() -> metric("etcd_debugging_mvcc_watcher_total", "") > before);
        return ticket;
    }

    private static void fails(Ticket ticket) {
        CompletableFuture<Granted> granted = ticket.granted().toCompletableFuture();
        Kit.eventually("its key is gone").until(granted::isDone);
        assertThat(granted).isCompletedExceptionally();
    }

    /** The sum of the samples of a metric whose labels contain this. */
    private double metric(String name, String label) {
        try {
            String text = http.send(
                            HttpRequest.newBuilder(URI.create("http://" + server.address() + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
            return text.lines()
                    .filter(line -> line.startsWith(name) && line.contains(label))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static String url(String namespace) {
        return "etcd://" + server.address() + "?namespace=" + namespace;
    }
}
