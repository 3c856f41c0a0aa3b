package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.permit;
import static io.holdfast.tck.Ask.shared;
import static io.holdfast.tck.ContractClient.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Ticket;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ConcurrentThreads;
import io.holdfast.tck.ContractClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Q1: claims are granted in the order in which they came, and none overtakes. */
interface QueueOrderClauses extends StoreClauses {
    @Test
    @Clause("Q1")
    default void aFreeLockIsGrantedAtOnce() throws Exception {
        ContractClient a = world().client("a");
        Claim claim = exclusive("job").claim();

        assertThat(a.enqueue(claim)).isInstanceOf(Granted.class);

        a.refused(exclusive("job"));
        a.released(claim);
        a.nothingLeft("job");
    }

    @Test
    @Clause("Q1, S3")
    default void waitersAreServedInTheOrderOfTheirRequestsUnderRisingTokens() throws Exception {
        ContractClient[] clients = {world().client("a"), world().client("b")};
        Claim holder = exclusive("job").claim();
        long last = clients[0].granted(holder).token();
        List<Claim> claims = new ArrayList<>();
        List<Ticket> tickets = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            claims.add(exclusive("job").by("waiter-" + i).claim());
            tickets.add(clients[i % 2].queued(claims.get(i)));
        }
        assertThat(clients[0].status("job").waiting()).isEqualTo(5);
        Claim current = holder;
        for (int i = 0; i < 5; i++) {
            clients[0].released(current);
            Granted grant = answer(tickets.get(i).granted());
            assertThat(grant.token()).isGreaterThan(last);
            last = grant.token();
            assertThat(clients[0].holders("job"))
                    .singleElement()
                    .extracting(io.holdfast.Holder::token)
                    .isEqualTo(last);
            for (int later = i + 1; later < 5; later++) {
                assertThat(isDone(tickets.get(later))).isFalse();
            }
            current = claims.get(i);
        }
        clients[0].released(current);
        clients[0].nothingLeft("job");
    }

    @Test
    @Clause("Q1, L4")
    default void aNewcomerDoesNotOvertakeAWaiterWhenTheLeaseExpires() throws Exception {
        ContractClient a = world().client("a");
        a.granted(exclusive("job").ttl(world().shortTtl()));
        Claim waiter = exclusive("job").by("waiter").claim();
        Ticket ticket = a.queued(waiter);
        world().outliveShortTtl();

        a.refused(exclusive("job").by("newcomer"));

        answer(ticket.granted());
        a.renewed(waiter);
    }

    @Test
    @Clause("Q1")
    default void aNewcomerDoesNotOvertakeAWaiterThoughThereWouldBeRoomForIt() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().modes().contains(Mode.PERMIT), "the store does not offer permits");
        Claim one = permit("pool", 2).claim();
        a.granted(one);
        Ticket narrow = a.queued(permit("pool", 1).by("narrow").claim());

        a.refused(permit("pool", 2).by("newcomer"));

        a.released(one);
        answer(narrow.granted());
    }

    @Test
    @Clause("Q1")
    default void aWaitingWriterIsNotStarvedByReaders() throws Exception {
        ContractClient a = reading();
        Claim reader = shared("job").claim();
        a.granted(reader);
        Claim writer = exclusive("job").claim();
        Ticket writing = a.queued(writer);

        a.refused(shared("job"));
        Ticket later = a.queued(shared("job").claim());

        a.released(reader);
        answer(writing.granted());
        assertThat(isDone(later)).isFalse();
        a.released(writer);
        answer(later.granted());
    }

    @Test
    @Clause("Q1")
    default void readersThatWaitTogetherAreServedTogether() throws Exception {
        ContractClient a = reading();
        Claim writer = exclusive("job").claim();
        a.granted(writer);
        Ticket one = a.queued(shared("job").claim());
        Ticket two = a.queued(shared("job").claim());
        Ticket last = a.queued(exclusive("job").claim());

        a.released(writer);

        answer(one.granted());
        answer(two.granted());
        assertThat(isDone(last)).isFalse();
        assertThat(a.holders("job")).hasSize(2);
    }

    @Test
    @Clause("Q1, S4")
    default void aRepeatedRequestKeepsItsPlaceAndTakesNoSecond() throws Exception {
        ContractClient a = world().client("a");
        Claim holder = exclusive("job").claim();
        a.granted(holder);
        Claim first = exclusive("job").claim();
        Claim second = exclusive("job").claim();
        a.queued(first);
        Ticket later = a.queued(second);

        Ticket again = a.queued(first);

        assertThat(a.status("job").waiting()).isEqualTo(2);
        a.released(holder);
        answer(again.granted());
        a.released(first);
        answer(later.granted());
        a.released(second);
        a.nothingLeft("job");
    }

    @Test
    @Clause("Q1, S2")
    default void eightThreadsInTheQueueIncrementACounterOneAtATime() throws Exception {
        ContractClient[] clients = {world().client("a"), world().client("b")};
        int[] counter = new int[1];
        ConcurrentThreads.run(8, number -> {
            ContractClient client = clients[number % 2];
            for (int turn = 0; turn < 25; turn++) {
                Claim claim = exclusive("counter").by("thread-" + number).claim();
                EnqueueResult result = client.enqueue(claim);
                if (result instanceof Queued queued) {
                    answer(queued.ticket().granted());
                }
                int seen = counter[0];
                LockSupport.parkNanos(50_000);
                counter[0] = seen + 1;
                client.released(claim);
            }
        });
        assertThat(counter[0]).isEqualTo(200);
        clients[0].nothingLeft("counter");
    }

    private ContractClient reading() throws Exception {
        ContractClient client = world().client("a");
        assumeTrue(client.store().info().modes().contains(Mode.SHARED), "the store does not offer shared mode");
        return client;
    }

    private static boolean isDone(Ticket ticket) {
        return ticket.granted().toCompletableFuture().isDone();
    }
}
