package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A thread that is offered to a store for the time that it waits. */
final class BorrowedThread {
    private final OpenWait wait = new OpenWait();
    private final AtomicInteger times = new AtomicInteger();

    private BorrowedThread() {}

    /** When its wait is over, when it is interrupted and when its time is up; its interrupt is kept. */
    static void comesBack(LockStore store) throws Exception {
        for (int i = 0; i < 20; i++) {
            BorrowedThread woken = new BorrowedThread();
            CompletableFuture<Boolean> back = woken.offeredTo(store);
            TimeUnit.MILLISECONDS.sleep(i);
            woken.wait.end();
            assertThat(back.get(TestTime.patience().toSeconds(), TimeUnit.SECONDS))
                    .as("a thread that nobody interrupted is not interrupted")
                    .isFalse();
            assertThat(woken.wait.nanosLeft()).as("time left when it was woken").isPositive();
            while (woken.wait.doneAfterwards() < woken.times.get()) {
                assertThat(woken.wait.nanosLeft())
                        .as("time left for what is done afterwards")
                        .isPositive();
                TimeUnit.MILLISECONDS.sleep(1);
            }
            assertThat(woken.wait.doneAfterwards()).isEqualTo(woken.times.get());
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
                while (wait.waits() && !Thread.currentThread().isInterrupted()) {
                    if (store.borrow(wait)) {
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
}
