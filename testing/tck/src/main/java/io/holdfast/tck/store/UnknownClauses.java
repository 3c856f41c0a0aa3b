package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.FaultyStore;
import io.holdfast.tck.FaultyStore.Fate;
import org.junit.jupiter.api.Test;

/** S4, S6 and L1 under lost, late and doubled messages: a release after an unknown outcome leaves nothing. */
interface UnknownClauses extends StoreClauses {
    @Test
    @Clause("S6, L1")
    default void aLostAcquireAndItsReleaseLeaveNothing() throws Exception {
        FaultyStore network = world().faulty("a");
        Claim claim = exclusive("job").claim();
        network.next("tryAcquire", Fate.REQUEST_LOST);
        failsUnknown(network, claim);

        network.client().notHeld(claim);

        network.client().nothingLeft("job");
    }

    @Test
    @Clause("S6, L1")
    default void anAcquireWhoseReplyWasLostIsUndoneByItsRelease() throws Exception {
        FaultyStore network = world().faulty("a");
        Claim claim = exclusive("job").claim();
        network.next("tryAcquire", Fate.REPLY_LOST);
        failsUnknown(network, claim);

        network.client().released(claim);

        network.client().nothingLeft("job");
        world().client("b").granted(exclusive("job"));
    }

    @Test
    @Clause("S6, L1")
    default void aLateAcquireMeetsTheTombstoneOfItsRelease() throws Exception {
        FaultyStore network = world().faulty("a");
        Claim claim = exclusive("job").claim();
        network.next("tryAcquire", Fate.REQUEST_LATE);
        failsUnknown(network, claim);
        network.client().notHeld(claim);

        network.deliverLate();

        network.client().nothingLeft("job");
        world().client("b").granted(exclusive("job"));
    }

    @Test
    @Clause("S4")
    default void anAcquireWhoseReplyWasLostIsFoundByItsRepeat() throws Exception {
        FaultyStore network = world().faulty("a");
        ContractClient a = network.client();
        Claim claim = exclusive("job").claim();
        network.next("tryAcquire", Fate.REPLY_LOST);
        failsUnknown(network, claim);

        Granted found = a.granted(claim);

        assertThat(a.holders("job"))
                .singleElement()
                .satisfies(holder -> assertThat(holder.token()).isEqualTo(found.token()));
        a.released(claim);
    }

    @Test
    @Clause("S4, S1, C6")
    default void aReleaseWhoseReplyWasLostCanBeRepeated() throws Exception {
        FaultyStore network = world().faulty("a");
        ContractClient a = network.client();
        Claim claim = exclusive("job").claim();
        a.granted(claim);
        network.next("release", Fate.REPLY_LOST);
        assertThatThrownBy(() -> a.release(claim)).isInstanceOf(StoreUnavailableException.class);
        Claim next = exclusive("job").claim();
        a.granted(next);

        a.notHeld(claim);

        a.renewed(next);
    }

    @Test
    @Clause("S4, S1")
    default void aLateReleaseOfAnEarlierHolderDoesNotFreeTheNext() throws Exception {
        FaultyStore network = world().faulty("a");
        ContractClient a = network.client();
        Claim first = exclusive("job").ttl(world().shortTtl()).claim();
        a.granted(first);
        network.next("release", Fate.REQUEST_LATE);
        assertThatThrownBy(() -> a.release(first)).isInstanceOf(StoreUnavailableException.class);
        world().outliveShortTtl();
        Claim next = exclusive("job").claim();
        a.granted(next);

        network.deliverLate();

        a.refused(exclusive("job"));
        a.renewed(next);
    }

    @Test
    @Clause("S5, U10")
    default void aLateRenewalDoesNotReviveWhatWasReleased() throws Exception {
        FaultyStore network = world().faulty("a");
        ContractClient a = network.client();
        Claim claim = exclusive("job").claim();
        a.granted(claim);
        network.next("renew", Fate.REQUEST_LATE);
        assertThatThrownBy(() -> a.renew(claim)).isInstanceOf(StoreUnavailableException.class);
        a.released(claim);

        network.deliverLate();

        a.nothingLeft("job");
    }

    private static void failsUnknown(FaultyStore network, Claim claim) {
        assertThatThrownBy(() -> network.client().tryAcquire(claim))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());
    }
}
