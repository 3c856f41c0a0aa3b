package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Refused;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.ContractWorld;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** S7 and S8: TTL and lock-delay. */
interface TimeClauses extends StoreClauses {
    @Test
    @Clause("S7")
    default void aGrantLastsForItsTtlAndNoLonger() throws Exception {
        ContractClient a = world().client("a");
        a.granted(exclusive("job").ttl(world().shortTtl()));

        world().elapse(world().shortTtl().dividedBy(2));
        a.refused(exclusive("job"));
        world().elapse(world().shortTtl().multipliedBy(3).dividedBy(4));

        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S7")
    default void aRefusedRequestDoesNotLengthenTheHoldersTtl() throws Exception {
        ContractClient a = world().client("a");
        a.granted(exclusive("job").ttl(world().shortTtl()));
        a.refused(exclusive("job").ttl(Duration.ofMinutes(5)).lockDelay(delay()));

        world().outliveShortTtl();

        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S7")
    default void aRefusedRequestDoesNotShortenTheHoldersTtl() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").claim();
        a.granted(held);
        a.refused(exclusive("job").ttl(world().shortTtl()));

        world().outliveShortTtl();

        a.refused(exclusive("job"));
        a.renewed(held);
    }

    @Test
    @Clause("S7")
    default void sharedHoldersEachKeepTheirOwnTtl() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().modes().contains(Mode.SHARED), "the store does not offer shared mode");
        Claim brief = shared("job").ttl(world().shortTtl()).claim();
        Claim lasting = shared("job").claim();
        a.granted(brief);
        a.granted(lasting);

        world().outliveShortTtl();

        assertThat(a.holders("job")).hasSize(1);
        a.lost(brief);
        a.renewed(lasting);
        a.refused(exclusive("job"));
        a.released(lasting);
        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S7")
    default void renewingOneSharedHolderDoesNotRenewAnother() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().modes().contains(Mode.SHARED), "the store does not offer shared mode");
        Claim silent = shared("job").ttl(world().shortTtl()).claim();
        Claim busy = shared("job").ttl(world().shortTtl()).claim();
        a.granted(silent);
        a.granted(busy);
        for (int i = 0; i < 4; i++) {
            world().elapse(world().shortTtl().dividedBy(3));
            a.renewed(busy);
        }
        a.lost(silent);
        assertThat(a.holders("job")).hasSize(1);
    }

    @Test
    @Clause("S8, U17")
    default void lockDelayClosesTheNameToEveryoneTheOwnClientIncluded() throws Exception {
        ContractClient a = delaying("a");
        ContractClient b = world().client("b");
        a.granted(exclusive("job").by("a").ttl(world().shortTtl()).lockDelay(delay()));
        world().outliveShortTtl();

        Refused refused = b.refused(exclusive("job").by("b"));
        a.refused(exclusive("job").by("a"));

        assertThat(refused.inLockDelay()).isTrue();
        assertThat(b.status("job").lockDelay()).isPositive().isLessThanOrEqualTo(delay());
        assertThat(b.names("job", 9)).containsExactly("job");
        world().elapse(delay());
        b.granted(exclusive("job").by("b"));
    }

    @Test
    @Clause("S8, U17")
    default void renewalsAreRefusedDuringLockDelay() throws Exception {
        ContractClient a = delaying("a");
        Claim held = exclusive("job").ttl(world().shortTtl()).lockDelay(delay()).claim();
        a.granted(held);
        world().outliveShortTtl();

        a.lost(held);

        a.refused(exclusive("job"));
    }

    @Test
    @Clause("S8, U17")
    default void theLostHoldersLateReleaseEndsItsLockDelay() throws Exception {
        ContractClient a = delaying("a");
        Claim held = exclusive("job").ttl(world().shortTtl()).lockDelay(delay()).claim();
        a.granted(held);
        world().outliveShortTtl();
        a.refused(exclusive("job"));

        a.released(held);

        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S8, S1, U17")
    default void aStrangersReleaseDoesNotEndTheLockDelay() throws Exception {
        ContractClient a = delaying("a");
        a.granted(exclusive("job").ttl(world().shortTtl()).lockDelay(delay()));
        world().outliveShortTtl();

        a.notHeld(exclusive("job").claim());

        a.refused(exclusive("job"));
    }

    @Test
    @Clause("S8")
    default void aReleaseInTimeCausesNoLockDelay() throws Exception {
        ContractClient a = delaying("a");
        Claim held = exclusive("job").lockDelay(delay()).claim();
        a.granted(held);

        a.released(held);

        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S7, S8")
    default void lockDelayIsThatOfTheLostLeaseNotOfTheOneBefore() throws Exception {
        ContractClient a = delaying("a");
        Claim first = exclusive("job").lockDelay(delay()).claim();
        a.granted(first);
        a.released(first);
        a.granted(exclusive("job").ttl(world().shortTtl()));
        a.refused(exclusive("job").lockDelay(delay()));

        world().outliveShortTtl();

        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S8, U17")
    default void theLockDelayOfASharedLeaseClosesTheNameToSharedClaimsToo() throws Exception {
        ContractClient a = delaying("a");
        assumeTrue(a.store().info().modes().contains(Mode.SHARED), "the store does not offer shared mode");
        a.granted(shared("job").ttl(world().shortTtl()).lockDelay(delay()));
        world().outliveShortTtl();

        a.refused(shared("job"));
        a.refused(exclusive("job"));

        world().elapse(delay());
        a.granted(shared("job"));
    }

    /** A client of a store that offers a lock-delay. */
    private ContractClient delaying(String name) throws Exception {
        ContractClient client = world().client(name);
        assumeTrue(client.store().info().lockDelay(), "the store does not offer a lock-delay");
        return client;
    }

    /** A lock-delay that outlasts {@link ContractWorld#outliveShortTtl()} with room on a busy machine. */
    private Duration delay() {
        return world().shortTtl().multipliedBy(2);
    }
}
