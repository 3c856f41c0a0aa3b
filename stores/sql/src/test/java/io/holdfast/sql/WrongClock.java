package io.holdfast.sql;

import io.holdfast.LossReason;
import io.holdfast.Ticker;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreSignals;
import io.holdfast.tck.MachineTime;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** What the engine gives to a store, on a machine whose wall clock is wrong. */
public final class WrongClock {
    private static final StoreSignals DEAF = new StoreSignals() {
        @Override
        public void lost(HolderId holder, LossReason reason) {}

        @Override
        public void disconnected() {}

        @Override
        public void connected() {}
    };

    private WrongClock() {}

    public static StoreContext by(Duration error) {
        Ticker right = Ticker.system();
        Ticker wrong = new Ticker() {
            @Override
            public long nanos() {
                return right.nanos() + error.toNanos();
            }

            @Override
            public long wallMicros() {
                return right.wallMicros() + error.toNanos() / 1000;
            }
        };
        MachineTime time = new MachineTime();
        return new StoreContext(
                wrong,
                time.scheduler(),
                Runnable::run,
                () -> ThreadLocalRandom.current().nextLong(),
                DEAF);
    }
}
