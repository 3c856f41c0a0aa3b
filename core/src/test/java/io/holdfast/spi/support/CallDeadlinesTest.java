package io.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CallDeadlinesTest {
    private static final long SWEEP = 20;

    private long now;
    private final Deque<Runnable> scheduled = new ArrayDeque<>();
    private @Nullable RuntimeException refusal;
    private final CallDeadlines<TestCall> deadlines = new CallDeadlines<>(() -> now, this::schedule, SWEEP);

    @Test
    void aCallThatIsNotAnsweredEndsAtTheFirstSweepAfterItsDeadline() {
        TestCall call = added(new TestCall(30));

        sweepAt(20);
        assertThat(call.ended).isZero();

        sweepAt(40);
        assertThat(call.ended).isOne();
        assertThat(scheduled).as("nothing is under way").isEmpty();
    }

    @Test
    void oneSweepServesAllCalls() {
        added(new TestCall(30));
        added(new TestCall(30));
        added(new TestCall(50));

        assertThat(scheduled).hasSize(1);
    }

    @Test
    void anAnsweredCallIsForgottenAndNotEnded() {
        TestCall call = added(new TestCall(10));
        call.done = true;

        sweepAt(20);

        assertThat(call.ended).isZero();
        assertThat(scheduled).isEmpty();
    }

    @Test
    void aCallThatIsAddedWhileASweepRunsIsSweptToo() {
        TestCall late = new TestCall(100);
        added(new TestCall(10) {
            @Override
            void end() {
                super.end();
                deadlines.add(late);
            }
        });

        sweepAt(20);
        assertThat(scheduled).hasSize(1);

        sweepAt(100);
        assertThat(late.ended).isOne();
    }

    @Test
    void aCallWhoseEndFailsDoesNotKeepTheOthersFromTheirs() {
        added(new TestCall(10) {
            @Override
            void end() {
                throw new IllegalStateException("cannot end");
            }
        });
        TestCall other = added(new TestCall(10));

        sweepAt(20);

        assertThat(other.ended).isOne();
        assertThat(scheduled).isEmpty();
    }

    @Test
    void whereNothingIsScheduledAnyMoreEveryCallEndsAtOnce() {
        refusal = new RejectedExecutionException("closed");

        TestCall first = added(new TestCall(1000));
        TestCall second = added(new TestCall(1000));

        assertThat(first.ended).isOne();
        assertThat(second.ended).isOne();
    }

    @Test
    void aSchedulerThatFailsOnceIsAskedAgainByTheNextCall() {
        refusal = new IllegalStateException("no thread");
        TestCall first = new TestCall(10);
        assertThatThrownBy(() -> deadlines.add(first)).hasMessage("no thread");

        refusal = null;
        added(new TestCall(10));
        sweepAt(20);

        assertThat(first.ended).isOne();
    }

    @Test
    void endAllEndsWhatIsUnderWay() {
        TestCall call = added(new TestCall(1000));

        deadlines.endAll();

        assertThat(call.ended).isOne();
    }

    private TestCall added(TestCall call) {
        deadlines.add(call);
        return call;
    }

    private void sweepAt(long time) {
        now = time;
        scheduled.remove().run();
    }

    private void schedule(Runnable task, long nanos) {
        assertThat(nanos).isEqualTo(SWEEP);
        if (refusal != null) {
            throw refusal;
        }
        scheduled.add(task);
    }

    private static class TestCall implements CallDeadlines.Call {
        private final long deadline;
        private boolean done;
        private int ended;

        TestCall(long deadline) {
            this.deadline = deadline;
        }

        @Override
        public boolean isDone() {
            return done;
        }

        @Override
        public boolean endIfLate(long nowNanos) {
            if (nowNanos - deadline < 0) {
                return false;
            }
            end();
            return true;
        }

        @Override
        public void endNow() {
            if (ended == 0) {
                end();
            }
        }

        void end() {
            ended++;
        }
    }
}
