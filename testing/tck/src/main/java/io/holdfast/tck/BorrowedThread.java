package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.WaitingThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A thread that is offered to a store for the time that it waits. */
final class BorrowedThread implements WaitingThread {
    private final long until = System.nanoTime() + TestTime.patience().toNanos();
    private volatile boolean over;
    private volatile @Nullable Runnable wake;
    private final AtomicInteger times = new AtomicInteger();
    private final AtomicInteger after = new AtomicInteger();

    private BorrowedThread() {}

    /** When its wait is over, when it is interrupted and when its time is up; its interrupt is kept. */
    static void comesBack(LockStore store) throws Exception {
        for (int i = 0; i < 20; i++) {
            BorrowedThread woken = new BorrowedThread();
            CompletableFuture<Boolean> back = woken.offeredTo(store);
            TimeUnit.MILLISECONDS.sleep(i);
            woken.end();
            assertThat(back.get(TestTime.patience().toSeconds(), TimeUnit.SECONDS))
                    .as("a thread that nobody interrupted is not interrupted")
                    .isFalse();
            assertThat(woken.nanosLeft()).as("time left when it was woken").isPositive();
            while (woken.after.get() < woken.times.get()) {
                assertThat(woken.nanosLeft())
                        .as("time left for what is done afterwards")
                        .isPositive();
                TimeUnit.MILLISECONDS.sleep(1);
            }
            assertThat(woken.after).hasValue(woken.times.get());
        }
        BorrowedThread interrupted = new BorrowedThread();
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        CompletableFuture<Boolean> back = interrupted.offeredTo(store, thread);
        TimeUnit.MILLISECONDS.sleep(5);
        thread.get().interrupt();
        assertThat(back.get(TestTime.patience().toSeconds(), TimeUnit.SECONDS))
                .as("the interrupt is kept")
                .isTrue();
    }

    private CompletableFuture<Boolean> offeredTo(LockStore store) {
        return offeredTo(store, new CompletableFuture<>());
    }

    /** Offers itself again and again as the engine does, or waits if it is not wanted; then says whether it is interrupted. */
    private CompletableFuture<Boolean> offeredTo(LockStore store, CompletableFuture<Thread> which) {
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            which.complete(Thread.currentThread());
            try {
                while (!over && !Thread.currentThread().isInterrupted()) {
                    if (store.borrow(this)) {
                        times.incrementAndGet();
                    } else {
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                }
                ended.complete(Thread.currentThread().isInterrupted());
            } catch (InterruptedException e) {
                ended.complete(true);
            } catch (RuntimeException e) {
                ended.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return ended;
    }

    private void end() {
        over = true;
        Runnable back = wake;
        if (back != null) {
            back.run();
        }
    }

    @Override
    public boolean waits() {
        return !over;
    }

    @Override
    public long nanosLeft() {
        return until - System.nanoTime();
    }

    @Override
    public void wokenBy(@Nullable Runnable value) {
        wake = value;
    }

    @Override
    public void afterwards() {
        after.incrementAndGet();
    }
}
