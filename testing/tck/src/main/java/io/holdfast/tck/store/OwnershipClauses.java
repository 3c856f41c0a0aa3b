package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holder;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Refused;
import io.holdfast.spi.RenewResult;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import java.util.List;
import org.junit.jupiter.api.Test;

/** S1 and S5: only the holder id counts, and renewal neither creates nor revives. */
interface OwnershipClauses extends StoreClauses {
    @Test
    @Clause("S1, U10")
    default void aStaleHolderCanNeitherRenewNorReleaseNorHurtTheNewHolder() throws Exception {
        ContractClient a = world().client("a");
        ContractClient b = world().client("b");
        Claim stale = exclusive("job").by("a").ttl(world().shortTtl()).claim();
        a.granted(stale);
        world().outliveShortTtl();
        Claim current = exclusive("job").by("b").claim();
        Granted grant = b.granted(current);

        a.lost(stale);
        Holder takenBy = a.notHeld(stale).takenBy();
        a.refused(exclusive("job").by("a"));

        assertThat(takenBy).isNotNull().extracting(Holder::clientId).isEqualTo("b");
        assertThat(b.holders("job")).singleElement().satisfies(holder -> {
            assertThat(holder.clientId()).isEqualTo("b");
            assertThat(holder.token()).isEqualTo(grant.token());
        });
        b.renewed(current);
        b.released(current);
    }

    @Test
    @Clause("S1")
    default void anotherHolderIdOfTheSameClientReleasesNothing() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").claim();
        a.granted(held);

        Claim twin = exclusive("job").claim();
        a.notHeld(twin);

        a.refused(exclusive("job"));
        a.renewed(held);
    }

    @Test
    @Clause("S1")
    default void anotherHolderIdOfTheSameClientRenewsNothing() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").ttl(world().shortTtl()).claim();
        a.granted(held);
        world().elapse(world().shortTtl().dividedBy(2));

        a.lost(exclusive("job").ttl(world().shortTtl()).claim());
        world().elapse(world().shortTtl().multipliedBy(3).dividedBy(4));

        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S1")
    default void aReleaseUnderAnotherNameReleasesNothing() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").claim();
        a.granted(held);
        Claim other = exclusive("other").claim();

        a.notHeld(new Claim(
                "other",
                held.holder(),
                other.clientId(),
                other.label(),
                other.mode(),
                1,
                other.ttl(),
                other.lockDelay(),
                1));

        a.refused(exclusive("job"));
        a.released(held);
    }

    @Test
    @Clause("S1")
    default void aRefusalSaysWhoHoldsItAndForHowLong() throws Exception {
        ContractClient a = world().client("a");
        a.granted(exclusive("job").by("alice"));

        Refused refused = a.refused(exclusive("job").by("bob"));

        assertThat(refused.inLockDelay()).isFalse();
        if (refused.heldBy() != null) {
            assertThat(refused.heldBy().clientId()).isEqualTo("alice");
            assertThat(refused.heldBy().label()).isEqualTo("alice@tck");
        }
        if (refused.remaining() != null) {
            assertThat(refused.remaining()).isPositive().isLessThanOrEqualTo(java.time.Duration.ofSeconds(30));
        }
    }

    @Test
    @Clause("S5")
    default void aRenewalKeepsTheGrantBeyondItsFirstEnd() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").ttl(world().shortTtl()).claim();
        a.granted(held);
        for (int i = 0; i < 4; i++) {
            world().elapse(world().shortTtl().dividedBy(3));
            a.renewed(held);
        }
        a.refused(exclusive("job"));
        a.released(held);
    }

    @Test
    @Clause("S5, U10")
    default void aRenewalNeverCreates() throws Exception {
        ContractClient a = world().client("a");

        a.lost(exclusive("job").claim());

        a.nothingLeft("job");
        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S5, U10")
    default void aRenewalNeverRevivesWhatExpired() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").ttl(world().shortTtl()).claim();
        a.granted(held);
        world().outliveShortTtl();

        a.lost(held);

        a.nothingLeft("job");
        a.granted(exclusive("job"));
    }

    @Test
    @Clause("S5, U10")
    default void aRenewalNeverRevivesWhatWasReleased() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").claim();
        a.granted(held);
        a.released(held);

        a.lost(held);

        a.nothingLeft("job");
    }

    @Test
    @Clause("S5")
    default void aBatchIsAnsweredInItsOrder() throws Exception {
        ContractClient a = world().client("a");
        Claim first = exclusive("one").claim();
        Claim never = exclusive("two").claim();
        Claim second = exclusive("three").claim();
        a.granted(first);
        a.granted(second);

        List<RenewResult> results = ContractClient.answer(a.store().renew(List.of(first, never, second)));

        assertThat(results).hasSize(3);
        assertThat(results.get(0)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(results.get(1)).isInstanceOf(RenewResult.Lost.class);
        assertThat(results.get(2)).isInstanceOf(RenewResult.Renewed.class);
        assertThat(ContractClient.answer(a.store().renew(List.of()))).isEmpty();
    }

    @Test
    @Clause("S5, U2")
    default void termsAreCountedFromBeforeTheRequestAndAreNoLongerThanTheTtl() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").claim();
        Granted grant = a.granted(held);
        long granted = world().fixture().time().ticker().nanos();
        RenewResult.Renewed renewed = (RenewResult.Renewed) a.renew(held);
        long after = world().fixture().time().ticker().nanos();

        assertThat(grant.term().sentNanos() - granted).isLessThanOrEqualTo(0);
        assertThat(grant.term().nanos())
                .isPositive()
                .isLessThanOrEqualTo(held.ttl().toNanos());
        assertThat(renewed.term().sentNanos() - after).isLessThanOrEqualTo(0);
        assertThat(renewed.term().nanos())
                .isPositive()
                .isLessThanOrEqualTo(held.ttl().toNanos());
    }

    @Test
    @Clause("S1")
    default void grantsOutliveTheStoreObjectThatTookThem() throws Exception {
        ContractClient a = world().client("a");
        ContractClient b = world().client("b");
        a.granted(exclusive("job").by("a"));

        a.store().close();

        b.refused(exclusive("job").by("b"));
    }
}
