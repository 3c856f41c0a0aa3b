package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.permit;
import static io.holdfast.tck.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import org.junit.jupiter.api.Test;

/** S2: which modes may be held at the same time. */
interface ModeClauses extends StoreClauses {
    @Test
    @Clause("S2")
    default void oneExclusiveHolderAtATime() throws Exception {
        ContractClient a = world().client("a");
        ContractClient b = world().client("b");
        Claim held = exclusive("job").by("a").claim();
        a.granted(held);

        b.refused(exclusive("job").by("b"));
        a.refused(exclusive("job").by("a"));
        assertThat(b.holders("job")).hasSize(1);

        a.released(held);
        b.granted(exclusive("job").by("b"));
    }

    @Test
    @Clause("S2")
    default void aRefusedClaimLeavesNothingBehind() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").claim();
        a.granted(held);
        a.refused(exclusive("job"));

        a.released(held);

        a.nothingLeft("job");
    }

    @Test
    @Clause("S2")
    default void sharedHoldersExcludeExclusiveOnesOnly() throws Exception {
        ContractClient a = offering(Mode.SHARED);
        Claim one = shared("job").claim();
        Claim two = shared("job").claim();
        a.granted(one);
        a.granted(two);
        assertThat(a.holders("job")).hasSize(2);

        a.refused(exclusive("job"));
        a.released(one);
        a.refused(exclusive("job"));
        a.released(two);

        Claim writer = exclusive("job").claim();
        a.granted(writer);
        a.refused(shared("job"));
        a.released(writer);
        a.granted(shared("job"));
    }

    @Test
    @Clause("S2")
    default void noMoreThanThePermitsAreGranted() throws Exception {
        ContractClient a = offering(Mode.PERMIT);
        Claim one = permit("pool", 3).claim();
        a.granted(one);
        a.granted(permit("pool", 3));
        a.granted(permit("pool", 3));

        a.refused(permit("pool", 3));
        a.released(one);
        a.granted(permit("pool", 3));
        a.refused(permit("pool", 3));
    }

    @Test
    @Clause("S2, C2")
    default void permitsAndOtherModesExcludeEachOther() throws Exception {
        ContractClient a = offering(Mode.PERMIT);
        Claim taken = permit("pool", 3).claim();
        a.granted(taken);
        a.refused(exclusive("pool"));
        if (a.store().info().modes().contains(Mode.SHARED)) {
            a.refused(shared("pool"));
        }
        a.released(taken);
        a.granted(exclusive("pool"));
        a.refused(permit("pool", 3));
    }

    @Test
    @Clause("S2")
    default void anExpiredPermitIsFreeAgain() throws Exception {
        ContractClient a = offering(Mode.PERMIT);
        a.granted(permit("pool", 2).ttl(world().shortTtl()));
        a.granted(permit("pool", 2));
        a.refused(permit("pool", 2));

        world().outliveShortTtl();

        a.granted(permit("pool", 2));
        a.refused(permit("pool", 2));
    }

    /** A client of a store that offers {@code mode}; the clause says nothing about others. */
    private ContractClient offering(Mode mode) throws Exception {
        ContractClient client = world().client("a");
        assumeTrue(client.store().info().modes().contains(mode), "the store does not offer " + mode);
        return client;
    }
}
