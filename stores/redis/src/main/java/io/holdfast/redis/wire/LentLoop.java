package io.holdfast.redis.wire;

import io.holdfast.spi.WaitingThread;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.PlatformDependent;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Netty event loop that is lent to a thread which waits for an answer: that thread writes its request to the socket and
 * reads the answer from it, and no other thread has to be woken for either.
 *
 * <ul>
 *   <li>I1: at most one thread drives: the keeper, which is the loop's own, or one that called {@link #drive}. "In the event
 *       loop" means: the driver. Everything of Netty's that belongs to the loop is touched by the driver only; it passes
 *       from one to the next through {@link #driver}.
 *   <li>I2: whoever leaves what others wait for (tasks, answers) wakes the keeper, and looks for it after leaving. Who
 *       brings a task looks for the driver after bringing it. So one of the two sees the other.
 *   <li>I3: without a driver nothing happens while the keeper rests: so long it leaves the loop to a caller that may come
 *       again. It does not rest while a caller waits, nor for 20 ms after anybody else has used the loop; so only what nobody
 *       waits for comes late by it, or what a server took that long to answer.
 *   <li>I4: it is lent to a thread that is alone: for 20 ms after two had requests under way at once, or after somebody sent
 *       without waiting, the keeper does the work, as in every other event loop. With many threads a keeper that has never to
 *       be woken is faster than a loop that goes from hand to hand.
 *   <li>I5: a thread that waits for what comes unasked {@linkplain #attend attends}: the keeper makes room for it. It comes
 *       back when that leaves: at once if anybody else waits for something, else a little later. To wake it takes the
 *       leaving thread as long as to read its message.
 * </ul>
 */
public final class LentLoop extends AbstractScheduledEventExecutor implements IoEventLoop {
    /** For longer no thread drives: it cannot be interrupted meanwhile, and who waits long may as well be woken. */
    private static final long LOAN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** For so long after others have used the loop no caller is alone. */
    private static final long COMPANY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Whoever drives comes back at once, unless one of its tasks takes long. */
    private static final long HAND_OVER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long SHORTEST_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int TASKS_PER_TURN = 1024;
    private static final int LAST_TURNS = 100;

    /** Whether this thread sends a request that it will wait for. */
    private static final ThreadLocal<Boolean> SENDS = ThreadLocal.withInitial(() -> false);

    private final Queue<Runnable> tasks = PlatformDependent.newMpscQueue();

    /** What nobody waits for: it is done with the tasks, but nobody is woken for it. */
    private final Queue<Runnable> leisurely = PlatformDependent.newMpscQueue();

    private final AtomicReference<@Nullable Thread> driver = new AtomicReference<>();
    private final AtomicReference<@Nullable Thread> attendant = new AtomicReference<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Turn turn = new Turn();
    private final Promise<Void> ended = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
    private final IoHandler handler;
    private final Thread keeper;
    private final long restNanos;
    private final long absenceNanos;
    private volatile boolean asked;
    private volatile boolean closing;
    private volatile long leftAt = System.nanoTime();
    private volatile long companyAt = System.nanoTime();

    /**
     * Starts its thread.
     *
     * @param rest for how long after a caller nobody reads, in case it comes again
     * @param absence for how long nobody may read after one that attended, if nobody waits
     */
    LentLoop(IoHandlerFactory handlers, String name, Duration rest, Duration absence) {
        this.restNanos = rest.toNanos();
        this.absenceNanos = absence.toNanos();
        this.handler = handlers.newHandler(this);
        this.keeper = new DefaultThreadFactory(name, true).newThread(this::keep);
        driver.set(keeper);
        keeper.start();
    }

    /**
     * Sends a request and, if nobody else drives, reads until it is answered, on this thread. It comes back after the answer
     * or after 10 ms, and the answer may be missing still. What depends on the answer runs here or where it arrives, as
     * in every event loop, and must not block.
     */
    public <T> CompletableFuture<T> drive(Supplier<CompletableFuture<T>> send) {
        Thread caller = Thread.currentThread();
        if (closing || caller.isInterrupted() || isVirtual(caller) || driver.get() == caller) {
            return send.get();
        }
        if (inCompany() || !driver.compareAndSet(null, caller)) {
            asked = true;
            SENDS.set(true);
            try {
                return awaited(send);
            } finally {
                SENDS.remove();
                if (driver.get() == null) {
                    LockSupport.unpark(keeper);
                }
            }
        }
        try {
            CompletableFuture<T> answer = awaited(send);
            long until = System.nanoTime() + LOAN_NANOS;
            for (long left = LOAN_NANOS; left > 0; left = until - System.nanoTime()) {
                if (answer.isDone() || closing || caller.isInterrupted()) {
                    break;
                }
                turn(left);
            }
            return answer;
        } finally {
            leave();
        }
    }

    /**
     * Drives until the wait is over or the thread is interrupted; false, at once, if somebody else attends already or the
     * thread cannot. Not beside {@link #drive}: a loop has either requests or messages that come unasked.
     *
     * @param others whether somebody else waits for messages now; who begins to afterwards calls {@link #listen}
     */
    public boolean attend(WaitingThread lent, BooleanSupplier others) {
        Thread caller = Thread.currentThread();
        if (closing || caller.isInterrupted() || isVirtual(caller) || driver.get() == caller) {
            return false;
        }
        if (!attendant.compareAndSet(null, caller)) {
            return false;
        }
        boolean drives = false;
        try {
            drives = takeOver(caller);
            if (drives) {
                lent.wokenBy(handler::wakeup);
                turn.attending = lent;
                attendHere(lent, new InterruptibleTurns(this));
            }
        } finally {
            lent.wokenBy(null);
            if (drives) {
                turn.attending = null;
                // For the keeper, who comes back; before it can, so that it also does this if it comes back to end.
                leisurely.add(lent::afterwards);
                driver.set(null);
            }
            attendant.set(null);
            if (!drives || closing || needed() || others.getAsBoolean()) {
                LockSupport.unpark(keeper);
            }
        }
        return drives;
    }

    /** Somebody waits for messages: from now on they are read as they come. */
    public void listen() {
        if (driver.get() == null) {
            LockSupport.unpark(keeper);
        }
    }

    private boolean takeOver(Thread caller) {
        long until = System.nanoTime() + HAND_OVER_NANOS;
        while (!driver.compareAndSet(null, caller)) {
            if (closing || caller.isInterrupted() || System.nanoTime() - until > 0) {
                return false;
            }
            handler.wakeup();
            LockSupport.parkNanos(this, SHORTEST_PARK_NANOS);
        }
        return true;
    }

    private void attendHere(WaitingThread lent, InterruptibleTurns turns) {
        while (lent.waits() && !closing && !Thread.currentThread().isInterrupted()) {
            long left = lent.nanosLeft();
            if (left <= 0) {
                return;
            }
            turns.take(left);
        }
    }

    /** Turns that an interrupt ends, whatever the handler sleeps in. */
    private static final class InterruptibleTurns extends AbstractInterruptibleChannel {
        private final LentLoop loop;

        InterruptibleTurns(LentLoop loop) {
            this.loop = loop;
        }

        void take(long limitNanos) {
            begin();
            try {
                loop.turn(limitNanos);
            } finally {
                try {
                    end(true);
                } catch (AsynchronousCloseException interrupted) {
                    // The thread's interrupt is kept, and ends the attendance.
                }
            }
        }

        /** By the interrupt. */
        @Override
        protected void implCloseChannel() {
            loop.handler.wakeup();
        }
    }

    /** As {@code Thread.isVirtual()}, which is newer than Java 17. It would keep the thread that carries it. */
    private static boolean isVirtual(Thread thread) {
        return thread.getClass().getName().startsWith("java.lang.") && thread.getClass() != Thread.class;
    }

    /** Counts an answer that somebody has to read. */
    private <T> CompletableFuture<T> awaited(Supplier<CompletableFuture<T>> send) {
        if (waiting.incrementAndGet() > 1) {
            inCompanyNow();
        }
        CompletableFuture<T> answer;
        try {
            answer = send.get();
        } catch (RuntimeException | Error e) {
            waiting.decrementAndGet();
            throw e;
        }
        answer.whenComplete((value, failure) -> waiting.decrementAndGet());
        return answer;
    }

    private void leave() {
        leftAt = System.nanoTime();
        driver.set(null);
        if (closing || needed()) {
            LockSupport.unpark(keeper);
        }
    }

    private boolean needed() {
        return !tasks.isEmpty() || waiting.get() > 0 || inCompany();
    }

    /** Written now and then only: every thread reads it with every request. */
    private void inCompanyNow() {
        long now = System.nanoTime();
        if (now - companyAt > COMPANY_NANOS / 4) {
            companyAt = now;
        }
    }

    private boolean inCompany() {
        return System.nanoTime() - companyAt < COMPANY_NANOS;
    }

    private void keep() {
        handler.initialize();
        driver.set(null);
        while (!closing) {
            if (mayRest() || !driver.compareAndSet(null, keeper)) {
                LockSupport.parkNanos(this, Math.max(restNanos, absenceNanos));
                continue;
            }
            try {
                asked = false;
                do {
                    turn(Long.MAX_VALUE);
                } while (!closing && attendant.get() == null && (!asked || needed()));
            } finally {
                leftAt = System.nanoTime();
                driver.set(null);
                LockSupport.unpark(attendant.get());
            }
        }
        end();
    }

    private boolean mayRest() {
        return driver.get() != null || attendant.get() != null || (!needed() && System.nanoTime() - leftAt < restNanos);
    }

    private void turn(long limitNanos) {
        turn.limitNanos = limitNanos;
        handler.run(turn);
        runTasks();
    }

    private void runTasks() {
        long now = ticker().nanoTime();
        for (Runnable due = pollScheduledTask(now); due != null; due = pollScheduledTask(now)) {
            safeExecute(due);
        }
        runTasks(tasks);
        runTasks(leisurely);
    }

    private static void runTasks(Queue<Runnable> queue) {
        for (int i = 0; i < TASKS_PER_TURN; i++) {
            Runnable task = queue.poll();
            if (task == null) {
                return;
            }
            safeExecute(task);
        }
    }

    private void end() {
        while (!driver.compareAndSet(null, keeper)) {
            handler.wakeup();
            LockSupport.parkNanos(this, SHORTEST_PARK_NANOS);
        }
        handler.prepareToDestroy();
        for (int i = 0; i == 0 || (i < LAST_TURNS && !tasks.isEmpty()); i++) {
            turn(0);
        }
        cancelScheduledTasks();
        handler.destroy();
        ended.setSuccess(null);
        // What came after the last look.
        runTasks();
    }

    /** For how long the loop may sleep in its handler. */
    private final class Turn implements IoHandlerContext {
        private long limitNanos;
        private @Nullable WaitingThread attending;

        /**
         * Everything for which somebody calls the handler's wakeup, which is asked here once more after a wakeup would be
         * noticed: one that comes before does nothing. Not on an interrupted thread: Netty's selector would take the
         * interrupt, which is for somebody else.
         */
        @Override
        public boolean canBlock() {
            return limitNanos > 0
                    && tasks.isEmpty()
                    && leisurely.isEmpty()
                    && !closing
                    && nextScheduledTaskNano() != 0
                    && (attending == null ? attendant.get() == null : attending.waits())
                    && !Thread.currentThread().isInterrupted();
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            long scheduled = nextScheduledTaskNano();
            return scheduled < 0 ? limitNanos : Math.min(limitNanos, scheduled);
        }

        @Override
        public long deadlineNanos() {
            long scheduled = nextScheduledTaskDeadlineNanos();
            if (limitNanos == Long.MAX_VALUE) {
                return scheduled;
            }
            long limit = ticker().nanoTime() + limitNanos;
            return scheduled < 0 ? limit : Math.min(limit, scheduled);
        }
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return thread == driver.get();
    }

    @Override
    public void execute(Runnable task) {
        if (ended.isDone() && !inEventLoop()) {
            throw new RejectedExecutionException("this event loop has ended");
        }
        tasks.add(task);
        if (inEventLoop()) {
            return;
        }
        if (!SENDS.get()) {
            inCompanyNow();
        }
        if (driver.get() == null) {
            LockSupport.unpark(keeper);
        } else {
            handler.wakeup();
        }
    }

    @Override
    public Future<IoRegistration> register(IoHandle handle) {
        Promise<IoRegistration> done = newPromise();
        if (inEventLoop()) {
            register(handle, done);
        } else {
            execute(() -> register(handle, done));
        }
        return done;
    }

    private void register(IoHandle handle, Promise<IoRegistration> done) {
        try {
            done.setSuccess(handler.register(handle));
        } catch (Exception e) {
            done.setFailure(e);
        }
    }

    @Override
    @Deprecated
    public ChannelFuture register(Channel channel) {
        return register(new DefaultChannelPromise(channel, this));
    }

    @Override
    @Deprecated
    public ChannelFuture register(ChannelPromise promise) {
        promise.channel().unsafe().register(this, promise);
        return promise;
    }

    @Override
    @Deprecated
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        channel.unsafe().register(this, promise);
        return promise;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return handler.isCompatible(handleType);
    }

    @Override
    public boolean isIoType(Class<? extends IoHandler> handlerType) {
        return handlerType.isInstance(handler);
    }

    @Override
    public IoEventLoop next() {
        return this;
    }

    @Override
    public @Nullable IoEventLoopGroup parent() {
        return null;
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        beginToEnd();
        return ended;
    }

    private void beginToEnd() {
        closing = true;
        handler.wakeup();
        LockSupport.unpark(keeper);
    }

    @Override
    @Deprecated
    public void shutdown() {
        beginToEnd();
    }

    @Override
    public Future<?> terminationFuture() {
        return ended;
    }

    @Override
    public boolean isShuttingDown() {
        return closing;
    }

    @Override
    public boolean isShutdown() {
        return ended.isDone();
    }

    @Override
    public boolean isTerminated() {
        return ended.isDone();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return ended.await(timeout, unit);
    }
}
