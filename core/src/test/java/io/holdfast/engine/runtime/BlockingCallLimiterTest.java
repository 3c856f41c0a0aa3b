package io.holdfast.engine.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls that block have a few lanes; whatever an executor or a call throws uses none of them up (L13). */
class BlockingCallLimiterTest {
    private final AtomicInteger ran = new AtomicInteger();

    @Test
    void anExecutorThatThrowsErrorsTakesNoLaneAway() {
        AtomicInteger errors = new AtomicInteger(8);
        Executor failing = task -> {
            if (errors.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            task.run();
        };
        BlockingCallLimiter lanes = new BlockingCallLimiter(failing);
        for (int i = 0; i < 8; i++) {
            assertThatThrownBy(() -> lanes.offer(ran::incrementAndGet)).isInstanceOf(OutOfMemoryError.class);
        }

        assertThat(lanes.offer(ran::incrementAndGet)).isTrue();
        assertThat(ran).as("calls made, without those that failed").hasValue(1);
    }

    @Test
    void anExecutorThatRejectsTakesNoLaneAway() {
        AtomicInteger rejections = new AtomicInteger(8);
        BlockingCallLimiter lanes = new BlockingCallLimiter(task -> {
            if (rejections.getAndDecrement() > 0) {
                throw new RejectedExecutionException();
            }
            task.run();
        });
        for (int i = 0; i < 8; i++) {
            assertThat(lanes.offer(ran::incrementAndGet)).isFalse();
        }

        assertThat(lanes.offer(ran::incrementAndGet)).isTrue();
        assertThat(ran).hasValue(1);
    }

    @Test
    void aCallThatThrowsAnErrorTakesNoLaneAway() {
        BlockingCallLimiter lanes = new BlockingCallLimiter(Runnable::run);
        for (int i = 0; i < 8; i++) {
            lanes.offer(() -> {
                throw new StackOverflowError();
            });
        }

        lanes.offer(ran::incrementAndGet);
        assertThat(ran).hasValue(1);
    }
}
