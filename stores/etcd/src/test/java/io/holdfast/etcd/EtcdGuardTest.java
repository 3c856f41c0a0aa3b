package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.Marks;
import io.holdfast.servers.EtcdServer;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.tck.ContractClient;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Data in etcd that is guarded by the user's own transactions. */
class EtcdGuardTest {
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
    @DisplayName("U1: whoever was admitted before a newer one writes nothing after it, whatever it read")
    void aStaleTransactionWritesNothing() throws Exception {
        Client client = kit.operator(server);
        EtcdGuard guard = EtcdGuard.of(client, "u1", "job");
        guard.admit(exclusive(10));
        assertThat(write(client, guard, exclusive(10), "u1", "ten")).isTrue();

        guard.admit(exclusive(11));

        assertThat(write(client, guard, exclusive(10), "u1", "late ten")).isFalse();
        assertThat(write(client, guard, exclusive(11), "u1", "eleven")).isTrue();
        assertThatThrownBy(() -> guard.admit(exclusive(10)))
                .isInstanceOfSatisfying(
                        StaleTokenException.class,
                        stale -> assertThat(stale.seen()).isEqualTo(11));
        assertThat(guard.refusals()).isEqualTo(1);
        assertThat(guard.marks()).isEqualTo(new Marks(11, 11));
        assertThat(Kit.keys(client, "u1").get(0).getValue().toString(StandardCharsets.UTF_8))
                .isEqualTo("eleven");
    }

    @Test
    @DisplayName("U1: a token that was never admitted writes nothing")
    void withoutAdmissionNothingIsWritten() throws Exception {
        Client client = kit.operator(server);
        EtcdGuard guard = EtcdGuard.of(client, "never", "job");

        assertThat(write(client, guard, exclusive(10), "never", "x")).isFalse();
        assertThat(write(client, guard, shared(10), "never", "x")).isFalse();
    }

    @Test
    @DisplayName("shared operations do not disturb each other, and none passes a newer writer, also across digits")
    void sharedOperationsStandBesideEachOther() throws Exception {
        Client client = kit.operator(server);
        EtcdGuard guard = EtcdGuard.of(client, "shared", "job");
        guard.admit(shared(9));
        guard.admit(shared(10));

        assertThat(write(client, guard, shared(9), "shared", "nine")).isTrue();
        assertThat(write(client, guard, shared(10), "shared", "ten")).isTrue();
        assertThatThrownBy(() -> guard.admit(exclusive(9))).isInstanceOf(StaleTokenException.class);
        guard.admit(exclusive(100));
        assertThat(write(client, guard, shared(10), "shared", "late ten")).isFalse();
        guard.admit(shared(101));
        assertThat(write(client, guard, shared(101), "shared", "new")).isTrue();
        assertThat(write(client, guard, exclusive(100), "shared", "late writer"))
                .isFalse();
    }

    @Test
    @DisplayName("U19: another lock's, a permit's and an unsigned sequencer are refused")
    void othersAreRefused() {
        EtcdGuard guard = EtcdGuard.of(kit.operator(server), "others", "job");
        byte[] key = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> guard.admit(new Sequencer("another", Mode.EXCLUSIVE, 10)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another");
        assertThatThrownBy(() -> guard.admit(new Sequencer("job", Mode.PERMIT, 10)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> guard.signedWith(key).admit(exclusive(10)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not signed");
        assertThat(guard.marks()).isEqualTo(Marks.NONE);
    }

    @Test
    @DisplayName("U19: the marks are those that the store keeps, and outlive the client")
    void theMarksAreTheStores() throws Exception {
        ContractClient store = kit.store(server.url() + "?namespace=marks");
        MarkingStore marking = (MarkingStore) store.store();
        EtcdGuard guard = EtcdGuard.of(kit.operator(server), "file", "job").inNamespace("marks");
        ContractClient.answer(marking.admit("file", exclusive(20)));

        assertThatThrownBy(() -> guard.admit(exclusive(19))).isInstanceOf(StaleTokenException.class);
        guard.admit(exclusive(21));
        store.store().close();

        MarkingStore later =
                (MarkingStore) kit.store(server.url() + "?namespace=marks").store();
        assertThat(ContractClient.answer(later.admit("file", exclusive(20)))).isEqualTo(new MarkResult.Stale(21));
    }

    private static boolean write(Client client, EtcdGuard guard, Sequencer sequencer, String key, String value)
            throws Exception {
        return client.getKVClient()
                .txn()
                .If(guard.stillAdmitted(sequencer))
                .Then(Op.put(bytes(key), bytes(value), PutOption.DEFAULT))
                .commit()
                .get(10, TimeUnit.SECONDS)
                .isSucceeded();
    }

    private static Sequencer exclusive(long token) {
        return new Sequencer("job", Mode.EXCLUSIVE, token);
    }

    private static Sequencer shared(long token) {
        return new Sequencer("job", Mode.SHARED, token);
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }
}
