package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RevokeResult;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ConcurrentThreads;
import io.holdfast.tck.ContractClient;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** S9 and S13: a revocation ends the grant that it names, and no other. */
interface RevocationClauses extends StoreClauses {
    @Test
    @Clause("S9")
    default void thereIsNothingToRevokeOnAFreeName() throws Exception {
        ContractClient a = world().client("a");
        assertThat(a.revoke("job", Revocation.NOW)).isInstanceOf(RevokeResult.NotHeld.class);
        assertThat(a.revoke("job", Revocation.AT_LEASE_END)).isInstanceOf(RevokeResult.NotHeld.class);
    }

    @Test
    @Clause("S9, U17")
    default void revocationRefusesRenewalsAndOpensTheNameWhenTheLeaseEnds() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").ttl(world().shortTtl()).claim();
        a.granted(held);

        Duration opensIn = a.revoked("job", Revocation.AT_LEASE_END);

        assertThat(opensIn).isPositive().isLessThanOrEqualTo(world().shortTtl());
        assertThat(a.status("job").revoked()).isTrue();
        assertThat(a.lost(held).reason()).isEqualTo(LossReason.REVOKED);
        a.refused(exclusive("job"));
        world().outliveShortTtl();
        a.granted(exclusive("job"));
        assertThat(a.status("job").revoked()).isFalse();
    }

    @Test
    @Clause("S9, U17")
    default void revocationAddsTheLockDelay() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().lockDelay(), "the store does not offer a lock-delay");
        Duration delay = world().shortTtl().multipliedBy(2);
        a.granted(exclusive("job").ttl(world().shortTtl()).lockDelay(delay));

        Duration opensIn = a.revoked("job", Revocation.AT_LEASE_END);

        assertThat(opensIn).isGreaterThan(delay).isLessThanOrEqualTo(delay.plus(world().shortTtl()));
        world().outliveShortTtl();
        a.refused(exclusive("job"));
        world().elapse(delay);
        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S9")
    default void aRevokedHolderThatReleasesOpensTheNameAtOnce() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").claim();
        a.granted(held);
        a.revoked("job", Revocation.AT_LEASE_END);

        a.released(held);

        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S9, S1, U17")
    default void revocationNowOpensAtOnceAndTheOldHolderIsHarmless() throws Exception {
        ContractClient a = world().client("a");
        Claim old = exclusive("job").by("old").claim();
        a.granted(old);

        assertThat(a.revoked("job", Revocation.NOW)).isZero();
        Claim current = exclusive("job").by("new").claim();
        a.granted(current);

        a.lost(old);
        a.notHeld(old);
        a.refused(exclusive("job"));
        a.renewed(current);
    }

    @Test
    @Clause("S9, U17")
    default void revocationNowEndsALockDelay() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().lockDelay(), "the store does not offer a lock-delay");
        a.granted(exclusive("job").ttl(world().shortTtl()).lockDelay(Duration.ofMinutes(1)));
        world().outliveShortTtl();
        a.refused(exclusive("job"));

        assertThat(a.revoked("job", Revocation.NOW)).isZero();

        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S9")
    default void revocationNowTakesTheLockFromAllSharedHolders() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().modes().contains(Mode.SHARED), "the store does not offer shared mode");
        Claim one = shared("job").claim();
        Claim two = shared("job").claim();
        a.granted(one);
        a.granted(two);

        a.revoked("job", Revocation.NOW);

        a.lost(one);
        a.lost(two);
        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S13, U32")
    default void revokingAFreeNameLeavesTheOtherLocksOfItsLastHolderAlone() throws Exception {
        ContractClient a = world().client("a");
        Claim before = exclusive("job").by("a").claim();
        a.granted(before);
        a.released(before);
        Claim other = exclusive("other").by("a").claim();
        a.granted(other);

        assertThat(world().client("b").revoke("job", Revocation.NOW)).isInstanceOf(RevokeResult.NotHeld.class);

        a.renewed(other);
        world().client("c").refused(exclusive("other").by("c"));
        a.released(other);
    }

    @Test
    @Clause("S13, S12, U32")
    default void revokingAFreeNameThatAnotherClientLooksAtEndsNothing() throws Exception {
        ContractClient a = world().client("a");
        ContractClient operator = world().client("operator");
        ContractClient observer = world().client("observer");
        Claim before = exclusive("job").by("a").claim();
        a.granted(before);
        a.released(before);
        Claim other = exclusive("other").by("a").claim();
        a.granted(other);
        AtomicBoolean done = new AtomicBoolean();
        ConcurrentThreads.run(2, number -> {
            if (number == 0) {
                try {
                    for (int i = 0; i < 40; i++) {
                        assertThat(operator.revoke("job", Revocation.NOW)).isInstanceOf(RevokeResult.NotHeld.class);
                    }
                } finally {
                    done.set(true);
                }
            } else {
                while (!done.get()) {
                    observer.holders("job");
                }
            }
        });

        a.renewed(other);
        operator.refused(exclusive("other"));
        a.released(other);
    }

    @Test
    @Clause("S13, U32")
    default void revocationEndsTheHolderOfNowAndLeavesTheEarlierHolderItsOtherLock() throws Exception {
        ContractClient a = world().client("a");
        ContractClient b = world().client("b");
        Claim before = exclusive("job").by("a").claim();
        a.granted(before);
        a.released(before);
        Claim other = exclusive("other").by("a").claim();
        a.granted(other);
        Claim current = exclusive("job").by("b").claim();
        b.granted(current);
        Claim beside = exclusive("beside").by("b").claim();
        b.granted(beside);

        assertThat(world().client("c").revoked("job", Revocation.NOW)).isZero();

        b.lost(current);
        a.renewed(other);
        b.renewed(beside);
        a.granted(exclusive("job").by("a"));
    }

    @Test
    @Clause("S13, U32")
    default void aRevocationEndsWithTheHolderThatItWasFor() throws Exception {
        ContractClient a = world().client("a");
        ContractClient b = world().client("b");
        Claim first = exclusive("job").by("a").claim();
        a.granted(first);
        a.revoked("job", Revocation.AT_LEASE_END);
        a.released(first);

        Claim second = exclusive("job").by("b").claim();
        b.granted(second);

        assertThat(b.status("job").revoked()).isFalse();
        b.renewed(second);
        b.released(second);
    }
}
