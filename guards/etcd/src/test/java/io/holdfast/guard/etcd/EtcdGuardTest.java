package io.holdfast.guard.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.fence.Marks;
import io.holdfast.servers.EtcdServer;
import io.holdfast.servers.TcpProxy;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Data in etcd that is guarded by the user's own transactions. */
class EtcdGuardTest {
    private static EtcdServer server;
    private static Client client;

    @BeforeAll
    static void start() {
        server = EtcdServer.open();
        client = Client.builder().endpoints("http://" + server.address()).build();
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @Test
    @DisplayName("U1: a holder that was admitted before a newer one writes nothing after it, whatever it read")
    void aStaleTransactionWritesNothing() throws Exception {
        EtcdGuard guard = EtcdGuard.of(client, "u1", "job");
        guard.admit(exclusive(10));
        assertThat(write(guard, exclusive(10), "u1", "ten")).isTrue();

        guard.admit(exclusive(11));

        assertThat(write(guard, exclusive(10), "u1", "late ten")).isFalse();
        assertThat(write(guard, exclusive(11), "u1", "eleven")).isTrue();
        assertThatThrownBy(() -> guard.admit(exclusive(10)))
                .isInstanceOfSatisfying(
                        StaleTokenException.class,
                        stale -> assertThat(stale.seen()).isEqualTo(11));
        assertThat(guard.refusals()).isEqualTo(1);
        assertThat(guard.marks()).isEqualTo(new Marks(11, 11));
        assertThat(client.getKVClient()
                        .get(bytes("u1"))
                        .get(10, TimeUnit.SECONDS)
                        .getKvs()
                        .get(0)
                        .getValue()
                        .toString(StandardCharsets.UTF_8))
                .isEqualTo("eleven");
    }

    @Test
    @DisplayName("U1: a token that was never admitted writes nothing")
    void withoutAdmissionNothingIsWritten() throws Exception {
        EtcdGuard guard = EtcdGuard.of(client, "never", "job");

        assertThat(write(guard, exclusive(10), "never", "x")).isFalse();
        assertThat(write(guard, shared(10), "never", "x")).isFalse();
    }

    @Test
    @DisplayName("shared operations do not disturb each other, and none passes a newer writer, also across digits")
    void sharedOperationsStandBesideEachOther() throws Exception {
        EtcdGuard guard = EtcdGuard.of(client, "shared", "job");
        guard.admit(shared(9));
        guard.admit(shared(10));

        assertThat(write(guard, shared(9), "shared", "nine")).isTrue();
        assertThat(write(guard, shared(10), "shared", "ten")).isTrue();
        assertThatThrownBy(() -> guard.admit(exclusive(9))).isInstanceOf(StaleTokenException.class);
        guard.admit(exclusive(100));
        assertThat(write(guard, shared(10), "shared", "late ten")).isFalse();
        guard.admit(shared(101));
        assertThat(write(guard, shared(101), "shared", "new")).isTrue();
        assertThat(write(guard, exclusive(100), "shared", "late writer")).isFalse();
    }

    @Test
    @DisplayName("U19: another lock's, a permit's and an unsigned sequencer are refused")
    void othersAreRefused() {
        EtcdGuard guard = EtcdGuard.of(client, "others", "job");
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
    @DisplayName("a server that does not answer fails a verb within its 2 s, with an unknown outcome")
    void aSilentServerFailsTheVerb() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(server);
                Client cut = Client.builder()
                        .endpoints("http://127.0.0.1:" + proxy.port())
                        .build()) {
            EtcdGuard guard = EtcdGuard.of(cut, "silent", "job");
            guard.admit(exclusive(10));
            proxy.replies().drop();

            assertThatThrownBy(() -> guard.admit(exclusive(11)))
                    .isInstanceOfSatisfying(
                            StoreUnavailableException.class,
                            failure -> assertThat(failure.outcomeUnknown()).isTrue());
        }
    }

    private static boolean write(EtcdGuard guard, Sequencer sequencer, String key, String value) throws Exception {
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
