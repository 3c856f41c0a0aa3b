package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.spi.Claim;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.Ticket;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ConcurrentThreads;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** S12: an inspection changes nothing. */
interface InspectionClauses extends StoreClauses {
    /** How often, at least, the lock is taken and looked at. */
    int TURNS = 60;

    @Test
    @Clause("S12, U31")
    default void lookingMakesNoTryOfAFreeLockFail() throws Exception {
        ContractClient a = world().client("a");
        ContractClient observer = world().client("observer");
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger looks = new AtomicInteger();
        ConcurrentThreads.run(2, number -> {
            if (number == 0) {
                try {
                    for (int turn = 0; turn < TURNS || looks.get() < TURNS; turn++) {
                        Claim claim = exclusive("job").claim();
                        a.granted(claim);
                        a.released(claim);
                    }
                } finally {
                    done.set(true);
                }
            } else {
                while (!done.get()) {
                    observer.holders("job");
                    observer.names("j", 10);
                    looks.incrementAndGet();
                }
            }
        });
    }

    @Test
    @Clause("S12, U31")
    default void lookingAtANameThatWasNeverUsedCreatesNothing() throws Exception {
        ContractClient a = world().client("a");
        int known = ContractClient.answer(a.store().inspect(LockQuery.name("ghost")))
                .size();

        a.nothingLeft("gho");
        a.nothingLeft("");

        assertThat(ContractClient.answer(a.store().inspect(LockQuery.name("ghost"))))
                .as("what the store knows of a name that was only looked at")
                .hasSize(known)
                .noneMatch(status -> status.held() || status.waiting() > 0);
        a.nothingLeft("");
        a.granted(exclusive("ghost"));
    }

    @Test
    @Clause("S12, U31")
    default void lookingNeitherKeepsALeaseNorEndsIt() throws Exception {
        ContractClient a = world().client("a");
        ContractClient observer = world().client("observer");
        Claim held = exclusive("job").ttl(world().shortTtl()).claim();
        a.granted(held);
        Duration slice = world().shortTtl().dividedBy(4);

        assertThat(observer.holders("job")).hasSize(1);
        assertThat(observer.names("job", 10)).containsExactly("job");
        observer.refused(exclusive("job"));
        a.renewed(held);
        for (int i = 0; i < 5; i++) {
            world().elapse(slice);
            observer.holders("job");
            observer.names("job", 10);
        }

        observer.granted(exclusive("job"));
    }

    @Test
    @Clause("S12, U31")
    default void lookingTakesNoPlaceInTheQueueAndEndsNone() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store() instanceof QueueingStore, "the store has no queue");
        ContractClient observer = world().client("observer");
        Claim held = exclusive("job").claim();
        a.granted(held);
        Claim waiting = exclusive("job").by("waiter").claim();
        Ticket ticket = a.queued(waiting);

        for (int i = 0; i < 5; i++) {
            assertThat(observer.status("job").waiting()).isEqualTo(1);
            assertThat(observer.names("job", 10)).containsExactly("job");
        }
        a.released(held);

        ticket.granted().toCompletableFuture().get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);
        a.released(waiting);
    }
}
