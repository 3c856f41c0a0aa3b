package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.defaults;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lease that was detached from its thread: its end does not touch the thread. */
class DetachedLeaseTest {
    private static final LockOptions BRIEF =
            defaults().ttl(Duration.ofMillis(200)).noRenewal().interruptOnLoss();

    private Holdfast holdfast;

    @BeforeEach
    void open() {
        holdfast = Holdfast.open("memory:");
    }

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void itsLossInterruptsNobody() throws Exception {
        assertThat(isInterruptedByTheLossOf(holdfast.mutex("off").acquire(BRIEF).detach()))
                .isFalse();
    }

    /** Else the other test would show nothing. */
    @Test
    void theLossOfAnyOtherDoes() throws Exception {
        assertThat(isInterruptedByTheLossOf(holdfast.mutex("on").acquire(BRIEF)))
                .isTrue();
    }

    /** The thread is interrupted before a listener is told of the loss. */
    private static boolean isInterruptedByTheLossOf(Lease lease) {
        CountDownLatch told = new CountDownLatch(1);
        lease.onLost(loss -> told.countDown());
        long end = System.nanoTime() + TestTime.patience().toNanos();
        boolean interrupted = false;
        while (told.getCount() > 0 && System.nanoTime() - end < 0) {
            try {
                told.await(10, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        assertThat(told.getCount()).as("the loss was told").isZero();
        interrupted |= Thread.interrupted();
        lease.close();
        return interrupted;
    }
}
