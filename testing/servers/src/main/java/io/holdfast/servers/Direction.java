package io.holdfast.servers;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** One direction of a {@link TcpProxy}. Verbs have happened when they return. Thread-safe. */
public final class Direction {
    /** What happens to bytes that are due. */
    enum Flow {
        OPEN,
        CUT,
        DROP
    }

    private final TcpProxy proxy;
    private final AtomicLong passed = new AtomicLong();
    private final AtomicLong swallowed = new AtomicLong();

    /** Only the proxy's thread reads and writes these two. */
    Flow flow = Flow.OPEN;

    long delayNanos;

    Direction(TcpProxy proxy) {
        this.proxy = proxy;
    }

    /** Holds everything back, also the ends of connections, until {@link #restore()}. */
    public void cut() {
        proxy.perform(() -> set(Flow.CUT));
    }

    /** Swallows everything from now on, what is under way with a delay included. */
    public void drop() {
        proxy.perform(() -> set(Flow.DROP));
    }

    /** Lets bytes pass again: what a cut held back arrives, a connection that lost bytes is reset. The delay stays. */
    public void restore() {
        proxy.perform(() -> set(Flow.OPEN));
    }

    /** Bytes that arrive from now on pass so much later; zero for at once. */
    public void delay(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("delay: zero or more, but got " + by);
        }
        proxy.perform(() -> delayNanos = by.toNanos());
    }

    /** How many bytes passed; whatever a peer has received is counted. */
    public long bytes() {
        proxy.settle();
        return passed.get();
    }

    /** How many bytes were swallowed. */
    public long dropped() {
        proxy.settle();
        return swallowed.get();
    }

    void set(Flow value) {
        flow = value;
        if (value == Flow.OPEN) {
            proxy.resetGaps(this);
        }
    }

    void countPassed(int bytes) {
        passed.addAndGet(bytes);
    }

    void countSwallowed(int bytes) {
        swallowed.addAndGet(bytes);
    }
}
