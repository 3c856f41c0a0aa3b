package io.holdfast.sqlite;

import io.holdfast.Ticker;
import io.holdfast.tck.VirtualTime;
import java.time.Duration;

/** A machine whose clocks and boots the test decides. Copies of one share nothing. */
class SteeredClock implements MachineClock {
    private final Ticker time;
    private volatile String bootId = "first boot";
    private volatile String origin = "";
    private volatile Duration offset = Duration.ZERO;
    private volatile Duration suspended = Duration.ZERO;

    SteeredClock(VirtualTime time) {
        this.time = time;
    }

    SteeredClock boot(String value) {
        bootId = value;
        return this;
    }

    SteeredClock origin(String value) {
        origin = value;
        return this;
    }

    /** A monotonic clock that differs from the machine's by so much. */
    SteeredClock offset(Duration value) {
        offset = value;
        return this;
    }

    /** A machine that slept for so long in all. */
    SteeredClock suspended(Duration value) {
        suspended = value;
        return this;
    }

    @Override
    public long nanos() {
        return time.nanos() + offset.toNanos();
    }

    @Override
    public long wallMicros() {
        return time.wallMicros();
    }

    @Override
    public String bootId() {
        return bootId;
    }

    @Override
    public String origin() {
        return origin;
    }

    @Override
    public long uptimeNanos() {
        return time.nanos() + suspended.toNanos();
    }
}
