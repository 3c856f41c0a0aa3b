package io.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.holdfast.Lease;
import io.holdfast.engine.runtime.StackRoom;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The local queue is a fair lock: first come, first served, one at a time, and a request that leaves leaves nothing. */
@Tag("slow")
class QueueRunnerLincheckTest {
    private static final int SLOTS = 5;

    /** The queue of the engine. Every thread has a slot of its own. */
    @Param(name = "slot", gen = ThreadIdGen.class)
    public static final class EngineQueue {
        private final EngineUnderTest engine = new EngineUnderTest();
        private final AtomicReferenceArray<CompletableFuture<Lease>> slots = new AtomicReferenceArray<>(SLOTS);

        /** Asks for the lock, and says whether it was free. */
        @Operation
        public String ask(@Param(name = "slot") int slot) {
            if (slots.get(slot) != null) {
                return "has asked";
            }
            CompletableFuture<Lease> future = engine.client().acquireAsync(Samples.WAITING);
            slots.set(slot, future);
            return future.isDone() ? "holds" : "waits";
        }

        /** Whether the lock has come. */
        @Operation
        public boolean holds(@Param(name = "slot") int slot) {
            CompletableFuture<Lease> future = slots.get(slot);
            return future != null && future.isDone();
        }

        /** Releases, or stops waiting. */
        @Operation
        public String leave(@Param(name = "slot") int slot) {
            CompletableFuture<Lease> future = slots.getAndSet(slot, null);
            if (future == null) {
                return "has not asked";
            }
            if (future.cancel(false)) {
                return "left";
            }
            return future.join().releaseAsync().join().name();
        }

        /** In the end every slot leaves, and nothing is left. */
        @Validate
        public void nothingIsLeft() {
            for (int slot = 0; slot < SLOTS; slot++) {
                leave(slot);
            }
            String left = engine.store.isIdle() ? "" : "the store still has a holder or a waiter";
            if (!engine.client().queues().busyNames().isEmpty()) {
                left += " the client still has a busy queue";
            }
            if (!left.isEmpty()) {
                throw new IllegalStateException(left);
            }
        }
    }

    /** What it should be like. */
    public static final class FairLock {
        private final ArrayDeque<Integer> line = new ArrayDeque<>();

        /** Joins the line. */
        public String ask(int slot) {
            if (line.contains(slot)) {
                return "has asked";
            }
            line.add(slot);
            return holds(slot) ? "holds" : "waits";
        }

        /** Whether it is the first in line. */
        public boolean holds(int slot) {
            Integer first = line.peek();
            return first != null && first == slot;
        }

        /** Leaves the line. */
        public String leave(int slot) {
            boolean held = holds(slot);
            boolean asked = line.remove((Integer) slot);
            return !asked ? "has not asked" : held ? "RELEASED" : "left";
        }
    }

    /** A line that is not guarded: the planted race. */
    @Param(name = "slot", gen = ThreadIdGen.class)
    public static final class UnguardedLine {
        private final int[] line = new int[16];
        private volatile int length;

        /** Joins the line; two that join at once take the same place. */
        @Operation
        public String ask(@Param(name = "slot") int slot) {
            for (int i = 0; i < length; i++) {
                if (line[i] == slot + 1) {
                    return "has asked";
                }
            }
            int place = length;
            line[place] = slot + 1;
            length = place + 1;
            return place == 0 ? "holds" : "waits";
        }

        /** Whether it is the first in line. */
        @Operation
        public boolean holds(@Param(name = "slot") int slot) {
            return length > 0 && line[0] == slot + 1;
        }
    }

    /** The part of {@link FairLock} that the planted race offers. */
    public static final class OnlyJoining {
        private final FairLock lock = new FairLock();

        /** Joins the line. */
        public String ask(int slot) {
            return lock.ask(slot);
        }

        /** Whether it is the first in line. */
        public boolean holds(int slot) {
            return lock.holds(slot);
        }
    }

    @Test
    void theLocalQueueIsAFairLockInEveryInterleaving() {
        new ModelCheckingOptions()
                // It calls itself, which a model checker takes for a loop that does not end.
                .addGuarantee(forClasses(StackRoom.class.getName()).allMethods().ignore())
                .iterations(5)
                .invocationsPerIteration(60)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(0)
                .sequentialSpecification(FairLock.class)
                .check(EngineQueue.class);
    }

    @Test
    void theLocalQueueIsAFairLockUnderStress() {
        new StressOptions()
                .iterations(10)
                .invocationsPerIteration(300)
                .threads(3)
                .actorsPerThread(4)
                .actorsBefore(0)
                .actorsAfter(0)
                .sequentialSpecification(FairLock.class)
                .check(EngineQueue.class);
    }

    @Test
    void anUnguardedLineIsCaught() {
        assertThatThrownBy(() -> new ModelCheckingOptions()
                        .iterations(30)
                        .invocationsPerIteration(300)
                        .threads(2)
                        .actorsPerThread(3)
                        .sequentialSpecification(OnlyJoining.class)
                        .check(UnguardedLine.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }
}
