package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.shared;
import static io.holdfast.tck.ContractClient.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Ticket;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.FaultyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Q2 to Q4: how a place in the queue ends, and how an expired lease is handed on. */
interface QueueLifeClauses extends StoreClauses {
    /** How late a store may be about the dead (promise P3). */
    Duration LATE = Duration.ofMillis(2100);

    @Test
    @Clause("Q2, L5")
    default void aCancelledWaiterLeavesAndTheNextIsServed() throws Exception {
        ContractClient a = world().client("a");
        Claim holder = exclusive("job").claim();
        a.granted(holder);
        Ticket first = a.queued(exclusive("job").claim());
        Claim next = exclusive("job").claim();
        Ticket second = a.queued(next);

        assertThat(answer(first.cancel())).isInstanceOf(ReleaseResult.NotHeld.class);

        assertThat(a.status("job").waiting()).isEqualTo(1);
        a.released(holder);
        answer(second.granted());
        a.released(next);
        a.nothingLeft("job");
    }

    @Test
    @Clause("Q2, U15, L5")
    default void aGrantThatRacedTheCancelIsReleased() throws Exception {
        ContractClient a = world().client("a");
        Claim holder = exclusive("job").claim();
        a.granted(holder);
        Claim waiter = exclusive("job").claim();
        Ticket ticket = a.queued(waiter);
        a.released(holder);
        answer(ticket.granted());

        assertThat(answer(ticket.cancel())).isInstanceOf(ReleaseResult.Released.class);

        a.nothingLeft("job");
        a.lost(waiter);
    }

    @Test
    @Clause("Q2")
    default void aGrantThatRacedTheCancelGoesToTheNextWaiter() throws Exception {
        ContractClient a = world().client("a");
        Claim holder = exclusive("job").claim();
        a.granted(holder);
        Ticket first = a.queued(exclusive("job").claim());
        Ticket second = a.queued(exclusive("job").claim());
        a.released(holder);
        answer(first.granted());

        answer(first.cancel());

        answer(second.granted());
        assertThat(a.holders("job")).hasSize(1);
    }

    @Test
    @Clause("Q2")
    default void theReleaseOfAWaitingClaimTakesItOutOfTheQueue() throws Exception {
        ContractClient a = world().client("a");
        Claim holder = exclusive("job").claim();
        a.granted(holder);
        Claim waiter = exclusive("job").claim();
        a.queued(waiter);

        a.notHeld(waiter);

        a.released(holder);
        a.nothingLeft("job");
    }

    @Test
    @Clause("Q2, S6, L1")
    default void anEnqueueThatArrivesAfterItsCancelLeavesNothing() throws Exception {
        FaultyStore network = world().faulty("a");
        ContractClient a = network.client();
        Claim holder = exclusive("job").claim();
        a.granted(holder);
        Claim late = exclusive("job").claim();
        network.next("enqueue", FaultyStore.Fate.REQUEST_LATE);
        try {
            a.enqueue(late);
        } catch (StoreUnavailableException expected) {
            assertThat(expected.outcomeUnknown()).isTrue();
        }
        a.notHeld(late);

        network.deliverLate();

        assertThat(a.status("job").waiting()).isZero();
        a.released(holder);
        network.duplicate("enqueue");
        a.nothingLeft("job");
    }

    @Test
    @Clause("Q3")
    default void aWaiterWhoseWaitEndedDoesNotDelayTheNext() throws Exception {
        ContractClient a = world().client("a");
        Claim holder = exclusive("job").claim();
        a.granted(holder);
        Ticket dead = a.queued(exclusive("job").claim(), Duration.ofMillis(100));
        Ticket alive = a.queued(exclusive("job").claim());
        world().elapse(Duration.ofMillis(100).plus(LATE));

        a.released(holder);

        answer(alive.granted());
        assertThat(dead.granted().toCompletableFuture())
                .satisfiesAnyOf(
                        never -> assertThat(never).isNotDone(),
                        failed -> assertThat(failed).isCompletedExceptionally());
    }

    @Test
    @Clause("Q3")
    default void aWaiterWhoseClientIsGoneDoesNotDelayTheNext() throws Exception {
        ContractClient a = world().client("a");
        ContractClient b = world().client("b");
        Claim holder = exclusive("job").claim();
        a.granted(holder);
        b.queued(exclusive("job").by("b").claim());
        Claim next = exclusive("job").by("a").claim();
        Ticket alive = a.queued(next);

        b.store().close();
        world().elapse(LATE);

        a.released(holder);
        answer(alive.granted());
        a.renewed(next);
    }

    @Test
    @Clause("Q3, Q1")
    default void aDeadWriterDoesNotKeepReadersOut() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().modes().contains(Mode.SHARED), "the store does not offer shared mode");
        a.granted(shared("job"));
        a.queued(exclusive("job").claim(), Duration.ofMillis(100));
        Ticket reader = a.queued(shared("job").claim());

        world().elapse(Duration.ofMillis(100).plus(LATE));

        answer(reader.granted());
    }

    @Test
    @Clause("Q4, L4, L3")
    default void anExpiredLeaseIsHandedOnWithoutAnybodyAsking() throws Exception {
        ContractClient a = world().client("a");
        Claim expiring = exclusive("job").ttl(world().shortTtl()).claim();
        a.granted(expiring);
        Claim waiter = exclusive("job").claim();
        CompletionStage<RenewResult> confirmed = a.queued(waiter)
                .granted()
                .thenCompose(grant -> a.store().renew(List.of(waiter)))
                .thenApply(results -> results.get(0));

        world().elapse(world().shortTtl().plus(LATE));

        assertThat(answer(confirmed)).isInstanceOf(RenewResult.Renewed.class);
        a.lost(expiring);
        a.renewed(waiter);
    }

    @Test
    @Clause("Q4, L4")
    default void anExpiredLeaseIsHandedOnThoughAnotherWaiterLeftBefore() throws Exception {
        ContractClient a = world().client("a");
        ContractClient b = world().client("b");
        a.granted(exclusive("job").ttl(world().shortTtl()));
        b.queued(exclusive("job").claim());
        Ticket ticket = a.queued(exclusive("job").claim());
        b.store().close();

        world().elapse(world().shortTtl().plus(LATE));

        answer(ticket.granted());
    }

    @Test
    @Clause("Q4, S8, U17")
    default void aWaiterWaitsOutTheLockDelay() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().lockDelay(), "the store does not offer a lock-delay");
        Duration delay = world().shortTtl().multipliedBy(2);
        a.granted(exclusive("job").ttl(world().shortTtl()).lockDelay(delay));
        Ticket ticket = a.queued(exclusive("job").claim());

        world().outliveShortTtl();
        assertThat(ticket.granted().toCompletableFuture()).isNotDone();
        world().elapse(delay.plus(LATE));

        answer(ticket.granted());
    }

    @Test
    @Clause("Q4, S9")
    default void revocationHandsTheLockOn() throws Exception {
        ContractClient a = world().client("a");
        Claim old = exclusive("job").claim();
        a.granted(old);
        Ticket ticket = a.queued(exclusive("job").claim());

        a.revoked("job", Revocation.NOW);

        answer(ticket.granted());
        a.lost(old);
    }

    @Test
    @Clause("Q3, L9")
    default void anExtendedPlaceOutlivesItsFirstWait() throws Exception {
        ContractClient a = world().client("a");
        Claim holder = exclusive("job").claim();
        a.granted(holder);
        Claim waiter = exclusive("job").claim();
        Ticket ticket = a.queued(waiter, Duration.ofSeconds(1));
        Ticket behind = a.queued(exclusive("job").claim());

        ticket.extend(Duration.ofMinutes(5));
        world().elapse(Duration.ofSeconds(1).plus(LATE));
        a.released(holder);

        answer(ticket.granted());
        assertThat(behind.granted().toCompletableFuture()).isNotDone();
    }

    @Test
    @Clause("Q1, U2")
    default void thePushedTermEndsNoLaterThanItsTtlAfterTheHandOver() throws Exception {
        ContractClient a = world().client("a");
        Claim holder = exclusive("job").claim();
        a.granted(holder);
        Claim waiter = exclusive("job").claim();
        Queued queued = (Queued) a.enqueue(waiter);
        world().elapse(Duration.ofMillis(300));
        a.released(holder);
        long handedOver = world().fixture().time().ticker().nanos();
        world().elapse(Duration.ofMillis(300));

        Granted grant = answer(queued.ticket().granted());

        long end = grant.term().sentNanos() + grant.term().nanos();
        assertThat(end - handedOver).isLessThanOrEqualTo(waiter.ttl().toNanos());
    }
}
