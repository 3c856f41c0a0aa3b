package io.holdfast.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A contended run that lets two in, or hands out tokens in the wrong order, is found out. */
@Tag("slow")
class ContentionTest {
    private static final Run SHORT = new Run(Duration.ofMillis(20), Duration.ofMillis(200), true);

    @Test
    void aWorkingLockHasNoViolations() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        AtomicLong tokens = new AtomicLong();
        Measurement measurement = new Contention(4).measure(SHORT, (section, who) -> {
            lock.lock();
            try {
                section.pass(who, tokens.incrementAndGet());
            } finally {
                lock.unlock();
            }
        });
        assertThat(measurement.violations()).isEmpty();
        assertThat(measurement.values()).containsKeys(Contention.RATE, Contention.UNFAIRNESS);
    }

    @Test
    void aLockThatLetsEverybodyInIsBroken() throws Exception {
        Measurement measurement = new Contention(4).measure(SHORT, (section, who) -> section.pass(who));
        assertThat(measurement.violations()).isNotEmpty();
    }

    @Test
    void twoInsideAtATimeAreSeenWhateverTheScheduling() {
        Section section = new Section();
        section.enter(1);
        section.enter(2);
        section.leave(1);
        assertThat(section.violations(2))
                .containsExactly(
                        "thread 2 entered while thread 1 was inside", "thread 2 entered while thread 1 was inside");
    }

    @Test
    void tokensThatDoNotGrowAreBroken() {
        Section section = new Section();
        section.pass(1, 10);
        section.pass(2, 10);
        section.pass(3, 9);
        assertThat(section.violations(3))
                .containsExactly("token 10 was granted after token 10", "token 9 was granted after token 10");
    }

    @Test
    void aLostUpdateIsBroken() {
        Section section = new Section();
        section.pass(1);
        assertThat(section.violations(2)).containsExactly("2 passes left the unprotected counter at 1");
    }

    @Test
    void manyViolationsAreCountedNotListed() {
        Section section = new Section();
        for (int i = 0; i < 100; i++) {
            section.pass(1, 5);
        }
        assertThat(section.violations(100)).hasSize(6).last().isEqualTo("and 94 more");
    }

    @Test
    void aThreadThatFailsEndsTheRunWithItsReason() {
        Run endless = new Run(Duration.ofHours(1), Duration.ofHours(1), true);
        assertThatThrownBy(() -> new Contention(2).measure(endless, (section, who) -> {
                    throw new IllegalStateException("out of luck");
                }))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("out of luck");
    }

    @Test
    void rateAndUnfairnessAreOfTheMeasuredTimeOnly() {
        Measurement measurement = Contention.measurement(new long[] {1000, 0}, new long[] {1030, 20}, 500_000_000);
        assertThat(measurement.values())
                .containsEntry(Contention.RATE, 100.0)
                .containsEntry(Contention.UNFAIRNESS, 1.5);
    }

    @Test
    void aThreadThatNeverPassedIsUnfair() {
        Measurement measurement = Contention.measurement(new long[] {0, 0}, new long[] {5000, 0}, 1_000_000_000);
        assertThat(measurement.values()).containsEntry(Contention.UNFAIRNESS, 5000.0);
    }
}
