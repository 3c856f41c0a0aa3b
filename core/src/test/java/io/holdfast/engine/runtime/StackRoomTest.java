package io.holdfast.engine.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** L13: a request that begins has the stack that it needs. */
class StackRoomTest {
    /** A stack of 512 KB, so that it is used up soon. */
    private static final long STACK = 512 << 10;

    private static final int ENDLESS = 10_000_000;

    private int room;
    private boolean refused;

    @Test
    void theErrorComesWhileThereIsRoomForARequest() throws InterruptedException {
        Thread deep = new Thread(null, () -> untilThereIsNoRoom(0), "deep", STACK);
        deep.start();
        deep.join();

        assertThat(refused).isTrue();
        assertThat(room).as("frames that were free when the error came").isGreaterThan(100);
    }

    private void untilThereIsNoRoom(int depth) {
        try {
            StackRoom.check();
        } catch (StackOverflowError e) {
            refused = true;
            try {
                count(0);
            } catch (StackOverflowError end) {
                return;
            }
        }
        if (depth < ENDLESS) {
            untilThereIsNoRoom(depth + 1);
        }
    }

    private void count(int frames) {
        room = Math.max(room, frames);
        if (frames < ENDLESS) {
            count(frames + 1);
        }
    }
}
