package io.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.holdfast.LeaseState;
import io.holdfast.LossReason;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.runtime.StackRoom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** N3: a lease is lost or released, once; the first end counts, in every interleaving that Lincheck finds. */
@Tag("slow")
class LeaseStateLincheckTest {
    /** The lease of the engine. */
    public static final class EngineLease {
        private final EngineUnderTest engine = new EngineUnderTest();
        private final AtomicInteger told = new AtomicInteger();
        private final LeaseHandle lease;

        /** Acquires it. */
        public EngineLease() {
            lease = (LeaseHandle) engine.client().acquireAsync(Samples.WAITING).join();
            lease.onLost(loss -> told.incrementAndGet());
        }

        /** The store says that it is gone. Only the keeper does so, one answer after the other. */
        @Operation(nonParallelGroup = "keeper")
        public void lose() {
            engine.client().keeper().lose(lease.grant(), LossReason.GONE);
        }

        /** The holder is done. A second release beside the first returns a future, and nothing is said of the state. */
        @Operation(nonParallelGroup = "holder")
        public void release() {
            lease.releaseAsync();
        }

        /** What the holder sees. */
        @Operation
        public LeaseState state() {
            return lease.state();
        }

        /** In the end. */
        @Validate
        public void oneEnd() {
            LeaseState state = lease.state();
            int expected = state == LeaseState.LOST ? 1 : 0;
            if (told.get() != expected) {
                throw new IllegalStateException(state + ", and " + told.get() + " losses were told");
            }
            if (state == LeaseState.RELEASED && !engine.store.isIdle()) {
                throw new IllegalStateException("released, and the store still has it");
            }
        }
    }

    /** What it should be like: the first end counts. */
    public static final class OneEnd {
        private LeaseState state = LeaseState.HELD;

        /** Ends it, unless it has ended. */
        public void lose() {
            state = state == LeaseState.HELD ? LeaseState.LOST : state;
        }

        /** Ends it, unless it has ended. */
        public void release() {
            state = state == LeaseState.HELD ? LeaseState.RELEASED : state;
        }

        /** How it ended. */
        public LeaseState state() {
            return state;
        }
    }

    /** A lease that looks before it leaps: the planted race. */
    public static final class CheckThenAct {
        private volatile LeaseState state = LeaseState.HELD;

        /** Whether it was this that ended the lease. */
        @Operation
        public boolean lose() {
            boolean held = state == LeaseState.HELD;
            if (held) {
                state = LeaseState.LOST;
            }
            return held;
        }

        /** Whether it was this that ended the lease. */
        @Operation
        public boolean release() {
            boolean held = state == LeaseState.HELD;
            if (held) {
                state = LeaseState.RELEASED;
            }
            return held;
        }
    }

    /** What the planted race should be like. */
    public static final class OneWinner {
        private final OneEnd lease = new OneEnd();

        /** Whether it was this that ended the lease. */
        public boolean lose() {
            boolean held = lease.state() == LeaseState.HELD;
            lease.lose();
            return held;
        }

        /** Whether it was this that ended the lease. */
        public boolean release() {
            boolean held = lease.state() == LeaseState.HELD;
            lease.release();
            return held;
        }
    }

    @Test
    void theFirstEndOfALeaseCountsInEveryInterleaving() {
        new ModelCheckingOptions()
                // It calls itself, which a model checker takes for a loop that does not end.
                .addGuarantee(forClasses(StackRoom.class.getName()).allMethods().ignore())
                .iterations(6)
                .invocationsPerIteration(120)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(1)
                .sequentialSpecification(OneEnd.class)
                .check(EngineLease.class);
    }

    @Test
    void theFirstEndOfALeaseCountsUnderStress() {
        new StressOptions()
                .iterations(10)
                .invocationsPerIteration(300)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(1)
                .sequentialSpecification(OneEnd.class)
                .check(EngineLease.class);
    }

    @Test
    void aLeaseThatChecksBeforeItActsIsCaught() {
        assertThatThrownBy(() -> new ModelCheckingOptions()
                        .iterations(30)
                        .invocationsPerIteration(300)
                        .threads(2)
                        .actorsPerThread(2)
                        .actorsBefore(0)
                        .sequentialSpecification(OneWinner.class)
                        .check(CheckThenAct.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }
}
