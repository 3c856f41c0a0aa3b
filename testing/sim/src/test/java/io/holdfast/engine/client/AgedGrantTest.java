package io.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Ticker;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.Term;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Grants whose term began long before them, as those of a session whose last sign of life is old (U3): they are renewed
 * at a third of what they have left, not all of them at once.
 */
class AgedGrantTest {
    @Test
    void aFreshGrantOfAnOldSessionIsNotDueAtOnce() throws Exception {
        Aged store = new Aged();
        LockOptions options = LockOptions.waitUpTo(Duration.ofSeconds(10)).ttl(Duration.ofSeconds(60));
        try (Holdfast client = Holdfast.builder().store(store).open()) {
            for (int i = 0; i < 100; i++) {
                try (Lease lease = client.mutex("job").acquire(options)) {
                    assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(31));
                    TimeUnit.MILLISECONDS.sleep(2);
                }
            }
            assertThat(store.renewals).hasValue(0);
        }
    }

    @Test
    void butItIsRenewedInTime() throws Exception {
        Aged store = new Aged();
        LockOptions options = LockOptions.waitUpTo(Duration.ofSeconds(10)).ttl(Duration.ofSeconds(2));
        try (Holdfast client = Holdfast.builder().store(store).open();
                Lease lease = client.mutex("job").acquire(options)) {
            assertThat(store.renewed.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(lease.remaining()).isPositive();
        }
    }

    /** Grants for a TTL of which half is over. */
    private static final class Aged implements LockStore {
        private final LockStore memory = new MemoryLockStore(new MemorySpace(Ticker.system()));
        final AtomicInteger renewals = new AtomicInteger();
        final CountDownLatch renewed = new CountDownLatch(1);

        @Override
        public StoreInfo info() {
            return memory.info();
        }

        @Override
        public void attach(StoreContext context) {
            memory.attach(context);
        }

        @Override
        public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
            return memory.tryAcquire(claim).thenApply(result -> {
                if (result instanceof Granted grant) {
                    Term term = grant.term();
                    return new Granted(
                            grant.token(), grant.span(), new Term(term.sentNanos() - term.nanos() / 2, term.nanos()));
                }
                return result;
            });
        }

        @Override
        public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
            renewals.incrementAndGet();
            renewed.countDown();
            return memory.renew(claims);
        }

        @Override
        public CompletionStage<ReleaseResult> release(Claim claim) {
            return memory.release(claim);
        }

        @Override
        public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
            return memory.inspect(query);
        }

        @Override
        public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
            return memory.revoke(lockName, how);
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
