package io.holdfast.engine.queue;

import io.holdfast.Mode;
import io.holdfast.Ticker;
import io.holdfast.engine.lease.GrantOwner;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.lease.LeaseKeeper;
import io.holdfast.engine.lease.ReleaseAnswer;
import io.holdfast.engine.lease.Request;
import io.holdfast.engine.lease.ViewedLeases;
import io.holdfast.engine.runtime.Callbacks;
import io.holdfast.engine.runtime.ClientTime;
import io.holdfast.engine.runtime.Events;
import io.holdfast.engine.runtime.StoreCalls;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Term;
import java.time.Duration;
import java.util.List;

/** A queue under test with a clock that the test moves, and the values that its transitions need. */
abstract class QueueSample implements GrantOwner {
    static final Duration TTL = Duration.ofHours(1);
    static final long WAIT = Duration.ofMinutes(1).toNanos();

    final LocalQueue queue;
    final LeaseKeeper keeper;
    long now = 1_000_000;
    private long nextHolder;

    QueueSample(QueueRules.Waiting waiting) {
        Ticker ticker = new Ticker() {
            @Override
            public long nanos() {
                return now;
            }

            @Override
            public long wallMicros() {
                return now / 1000;
            }
        };
        ClientTime time = new ClientTime(ticker, (task, delay) -> () -> {});
        StoreCalls calls = new StoreCalls(new StillStore(), time, Runnable::run);
        this.keeper = new LeaseKeeper(
                calls, time, new Callbacks(Runnable::run, Runnable::run), new Events(List.of()), new ViewedLeases());
        QueueRules rules = new QueueRules(
                waiting,
                "still",
                Duration.ofSeconds(2).toNanos(),
                Duration.ofMinutes(10).toNanos(),
                Duration.ofMillis(200));
        this.queue = new LocalQueue("x", rules, this);
    }

    /** A request that waits for {@code waitNanos}, zero for a try. */
    static Request request(Mode mode, long waitNanos, Duration ttl) {
        return new Request(
                "x",
                mode,
                mode == Mode.PERMIT ? 3 : 1,
                waitNanos,
                Duration.ofNanos(waitNanos),
                ttl,
                ttl.toNanos(),
                Duration.ZERO,
                true,
                Request.FOREVER,
                "sample",
                false,
                255);
    }

    /** What a performer does before it calls the store: false if the store is not to be called any more. */
    boolean send(Action.Ask ask) {
        Request request = ask.waiter.request;
        Claim claim = new Claim(
                "x",
                new HolderId(7, 7, (int) ++nextHolder),
                "client",
                "sample",
                request.mode(),
                request.permits(),
                request.ttl(),
                Duration.ZERO,
                ask.span,
                ask.note);
        return ask.start(claim, 0);
    }

    /** A term that lasts for the whole test. */
    Term term() {
        return new Term(now, TTL.toNanos());
    }

    @Override
    public LeaseKeeper keeper() {
        return keeper;
    }

    @Override
    public abstract void release(LeaseHandle lease, boolean inTime, ReleaseAnswer answer);

    @Override
    public abstract void released(HeldGrant grant);

    @Override
    public void lost(HeldGrant grant, LeaseHandle lease) {}
}
