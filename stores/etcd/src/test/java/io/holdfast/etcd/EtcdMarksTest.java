package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.etcd.EtcdGuard;
import io.holdfast.servers.EtcdServer;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.tck.ContractClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The store and the guard have the same marks. */
class EtcdMarksTest {
    private final Kit kit = new Kit();

    @AfterEach
    void closeAll() throws Exception {
        kit.close();
    }

    @Test
    @DisplayName("U19: the marks are those that the store keeps, and outlive the client")
    void theMarksAreTheStores() throws Exception {
        EtcdServer server = kit.opening(EtcdServer.open());
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

    private static Sequencer exclusive(long token) {
        return new Sequencer("job", Mode.EXCLUSIVE, token);
    }
}
