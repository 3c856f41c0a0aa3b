package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.permit;
import static io.holdfast.tck.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.FaultyStore;
import org.junit.jupiter.api.Test;

/** S4 and S6: requests that come twice, or after their own release. */
interface RepeatClauses extends StoreClauses {
    @Test
    @Clause("S4")
    default void aRepeatedAcquireIsAnsweredAsBefore() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").span(4).claim();
        Granted first = a.granted(held);

        Granted again = a.granted(held);

        assertThat(again.token()).isEqualTo(first.token());
        assertThat(again.span()).isEqualTo(first.span());
        assertThat(a.holders("job")).hasSize(1);
        a.released(held);
        a.nothingLeft("job");
    }

    @Test
    @Clause("S4, S7")
    default void aRepeatedAcquireDoesNotExtendTheGrant() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").ttl(world().shortTtl()).claim();
        a.granted(held);
        world().elapse(world().shortTtl().dividedBy(2));

        Granted again = a.granted(held);

        assertThat(again.term().nanos())
                .isLessThanOrEqualTo(world().shortTtl().dividedBy(2).toNanos());
        world().elapse(world().shortTtl().multipliedBy(3).dividedBy(4));
        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S4")
    default void aRepeatedPermitTakesOnePermit() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().modes().contains(Mode.PERMIT), "the store does not offer permits");
        Claim held = permit("pool", 2).claim();
        a.granted(held);
        a.granted(held);
        a.granted(permit("pool", 2));

        a.refused(permit("pool", 2));
    }

    @Test
    @Clause("S4")
    default void aRepeatedSharedClaimIsReleasedByOneRelease() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().modes().contains(Mode.SHARED), "the store does not offer shared mode");
        Claim held = shared("job").claim();
        a.granted(held);
        a.granted(held);

        a.released(held);

        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S4, S1")
    default void aRepeatedReleaseDoesNotHurtTheNextHolder() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").claim();
        a.granted(held);
        a.released(held);
        Claim next = exclusive("job").claim();
        a.granted(next);

        a.notHeld(held);

        a.renewed(next);
        a.refused(exclusive("job"));
    }

    @Test
    @Clause("S6, L1")
    default void anAcquireThatArrivesAfterItsReleaseIsRefusedAndLeavesNothing() throws Exception {
        ContractClient a = world().client("a");
        Claim late = exclusive("job").claim();
        a.notHeld(late);

        a.refused(late);

        a.nothingLeft("job");
        Claim other = exclusive("job").claim();
        a.granted(other);
        a.refused(late);
        a.released(other);
    }

    @Test
    @Clause("S6, L1")
    default void aTombstoneOfOneNameDoesNotCloseIt() throws Exception {
        ContractClient a = world().client("a");
        for (int i = 0; i < 20; i++) {
            a.notHeld(exclusive("job").claim());
        }
        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S6, L1")
    default void aTombstoneIsStillThereAfterAnotherHolderCameAndWent() throws Exception {
        ContractClient a = world().client("a");
        Claim late = exclusive("job").claim();
        a.notHeld(late);
        Claim between = exclusive("job").claim();
        a.granted(between);
        a.released(between);

        a.refused(late);

        a.nothingLeft("job");
    }

    @Test
    @Clause("S6, L1")
    default void aDuplicateThatExecutesAfterTheReleaseLeavesNothing() throws Exception {
        FaultyStore network = world().faulty("a");
        ContractClient a = network.client();
        Claim held = exclusive("job").claim();
        a.granted(held);
        a.released(held);

        network.duplicate("tryAcquire");

        a.nothingLeft("job");
        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S6, S1, L1")
    default void aDuplicateThatExecutesAfterTheLeaseExpiredGivesNobodyTheLock() throws Exception {
        FaultyStore network = world().faulty("a");
        ContractClient a = network.client();
        Claim held = exclusive("job").ttl(world().shortTtl()).claim();
        a.granted(held);
        world().outliveShortTtl();
        Claim next = exclusive("job").by("b").claim();
        ContractClient b = world().client("b");
        b.granted(next);

        network.duplicate("tryAcquire");

        b.renewed(next);
        assertThat(b.holders("job"))
                .singleElement()
                .satisfies(holder -> assertThat(holder.clientId()).isEqualTo("b"));
    }
}
