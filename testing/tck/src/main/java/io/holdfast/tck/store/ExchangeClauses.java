package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.ContractClient.answer;
import static io.holdfast.tck.ContractClient.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Ticket;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.FaultyStore;
import io.holdfast.tck.FaultyStore.Fate;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Q5: a fresh span is a new claim, behind the claims that wait. */
interface ExchangeClauses extends StoreClauses {
    @Test
    @Clause("Q5, U5, U15")
    default void withoutWaitersTheLockIsKeptUnderANewHolderIdAndToken() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").claim();
        long first = a.granted(held).token();
        Claim next = exclusive("job").claim();

        Exchanged result = a.exchange(held, next);

        assertThat(result.released()).isInstanceOf(ReleaseResult.Released.class);
        assertThat(result.next()).isInstanceOf(Granted.class);
        assertThat(((Granted) result.next()).token()).isGreaterThan(first);
        assertThat(a.holders("job")).hasSize(1);
        a.lost(held);
        a.notHeld(held);
        a.released(next);
        a.nothingLeft("job");
    }

    @Test
    @Clause("Q5, U5")
    default void thoseWhoWaitedComeFirst() throws Exception {
        ContractClient a = world().client("a");
        Claim held = exclusive("job").claim();
        a.granted(held);
        Claim waiter = exclusive("job").claim();
        Ticket waiting = a.queued(waiter);
        Claim next = exclusive("job").claim();

        Ticket behind = ticket(a.exchange(held, next).next());

        answer(waiting.granted());
        assertThat(behind.granted().toCompletableFuture()).isNotDone();
        a.released(waiter);
        answer(behind.granted());
        a.released(next);
        a.nothingLeft("job");
    }

    @Test
    @Clause("Q5, S1")
    default void theExchangeOfALostLeaseDoesNotHurtTheNewHolder() throws Exception {
        ContractClient a = world().client("a");
        Claim stale = exclusive("job").ttl(world().shortTtl()).claim();
        a.granted(stale);
        world().outliveShortTtl();
        Claim current = exclusive("job").claim();
        a.granted(current);
        Claim next = exclusive("job").claim();

        Exchanged result = a.exchange(stale, next);
        Ticket behind = ticket(result.next());

        assertThat(result.released()).isInstanceOf(ReleaseResult.NotHeld.class);
        a.renewed(current);
        a.released(current);
        answer(behind.granted());
    }

    @Test
    @Clause("Q5, U15")
    default void anExchangeWithUnknownOutcomeIsUndoneByReleasingBoth() throws Exception {
        for (Fate fate : List.of(Fate.REQUEST_LOST, Fate.REPLY_LOST, Fate.REQUEST_LATE)) {
            String name = "job-" + fate;
            FaultyStore network = world().faulty("a-" + fate);
            ContractClient a = network.client();
            Claim held = exclusive(name).claim();
            a.granted(held);
            Claim next = exclusive(name).claim();
            network.next("exchange", fate);
            assertThatThrownBy(() -> a.exchange(held, next)).isInstanceOf(StoreUnavailableException.class);

            a.release(next);
            a.release(held);
            network.deliverLate();
            network.duplicate("exchange");

            a.nothingLeft(name);
        }
    }

    @Test
    @Clause("Q5, S4")
    default void aRepeatedExchangeChangesNothing() throws Exception {
        FaultyStore network = world().faulty("a");
        ContractClient a = network.client();
        Claim held = exclusive("job").claim();
        a.granted(held);
        Claim next = exclusive("job").claim();
        Granted first = (Granted) a.exchange(held, next).next();

        network.duplicate("exchange");

        assertThat(a.holders("job"))
                .singleElement()
                .satisfies(holder -> assertThat(holder.token()).isEqualTo(first.token()));
        a.released(next);
        a.nothingLeft("job");
    }
}
