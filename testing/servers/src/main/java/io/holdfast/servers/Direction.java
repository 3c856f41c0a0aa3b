package io.holdfast.servers;

import java.time.Duration;
import java.util.SplittableRandom;
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

    private final AtomicLong delayed = new AtomicLong();

    /** Only the proxy's thread reads and writes these. */
    Flow flow = Flow.OPEN;

    private long delayNanos;
    private double share = 1;
    private SplittableRandom draw = new SplittableRandom(0);

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
        delaySome(by, 1, 0);
    }

    /**
     * Of the messages that arrive from now on, this share passes so much later, each drawn by itself. A message is what
     * one read of a connection finds: what a peer wrote at once, or several such writes that came together. As TCP has
     * it, later bytes of the same connection wait behind it, and those of other connections do not.
     *
     * @param share from 0 to 1
     * @param seed the same seed and the same messages give the same draws
     */
    public void delaySome(Duration by, double share, long seed) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("delay: zero or more, but got " + by);
        }
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share: from 0 to 1, but got " + share);
        }
        proxy.perform(() -> {
            delayNanos = by.toNanos();
            this.share = share;
            draw = new SplittableRandom(seed);
        });
    }

    /** How many messages were delayed. */
    public long delayed() {
        proxy.settle();
        return delayed.get();
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

    /** On the proxy's thread: by how much the message that has just arrived is late. */
    long nextDelayNanos() {
        if (delayNanos == 0 || (share < 1 && draw.nextDouble() >= share)) {
            return 0;
        }
        delayed.incrementAndGet();
        return delayNanos;
    }

    /** On the proxy's thread. */
    void noDelay() {
        delayNanos = 0;
    }

    void countPassed(int bytes) {
        passed.addAndGet(bytes);
    }

    void countSwallowed(int bytes) {
        swallowed.addAndGet(bytes);
    }
}
