package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Ticker;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.WaitingThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A thread that waits and is offered to the store: whatever the store does with it, it gets its lock. */
class LentThreadTest {
    /** What a store does with a thread. */
    private interface Use {
        boolean borrow(WaitingThread lent) throws InterruptedException;
    }

    private static final class Borrower extends PullStore {
        private final Use use;
        private final CountDownLatch offered = new CountDownLatch(1);

        Borrower(LockStore store, Use use) {
            super(store);
            this.use = use;
        }

        @Override
        public boolean borrow(WaitingThread lent) {
            offered.countDown();
            try {
                return use.borrow(lent);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    /** As a store does that waits for its own thread to make room, in vain. */
    @Test
    void itIsGivenBackAfterItsUnparkWasUsedUp() throws Exception {
        getsItsLock(lent -> {
            while (lent.waits()) {
                Thread.onSpinWait();
            }
            // The unpark follows the decision.
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            return false;
        });
    }

    @Test
    void itIsBroughtBackByWhatTheStoreLeft() throws Exception {
        getsItsLock(lent -> {
            CountDownLatch woken = new CountDownLatch(1);
            lent.wokenBy(woken::countDown);
            if (lent.waits()) {
                woken.await();
            }
            lent.wokenBy(null);
            lent.afterwards();
            return true;
        });
    }

    @Test
    void itIsGivenBackAtOnce() throws Exception {
        getsItsLock(lent -> false);
    }

    private static void getsItsLock(Use use) throws Exception {
        MemorySpace space = new MemorySpace(Ticker.system());
        Borrower store = new Borrower(new MemoryLockStore(space), use);
        try (Holdfast one = Holdfast.builder().store(new MemoryLockStore(space)).open();
                Holdfast two = Holdfast.builder().store(store).open()) {
            Lease held = one.mutex("job").acquire();
            CompletableFuture<Lease> got = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                try {
                    got.complete(two.mutex("job").acquire(LockOptions.waitUpTo(Duration.ofHours(1))));
                } catch (InterruptedException | RuntimeException e) {
                    got.completeExceptionally(e);
                }
            });
            waiter.start();
            assertThat(store.offered.await(TestTime.patience().toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            held.close();
            got.get(TestTime.patience().toSeconds(), TimeUnit.SECONDS).close();
        }
    }
}
