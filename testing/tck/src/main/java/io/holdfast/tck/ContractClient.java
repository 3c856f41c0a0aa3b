package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Queued;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls a store for a test: every verb waits for its answer. Thread-safe. */
public final class ContractClient {
    private final LockStore store;

    /** Over an attached store. */
    public ContractClient(LockStore store) {
        this.store = store;
    }

    /** The store. */
    public LockStore store() {
        return store;
    }

    /** Waits for an answer; a store must have given one within its I/O timeout. */
    public static <T> T answer(CompletionStage<T> stage) throws InterruptedException {
        try {
            return stage.toCompletableFuture().get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError("the store failed with a checked exception", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("the store did not answer", e);
        }
    }

    /** Tries. */
    public AcquireResult tryAcquire(Claim claim) throws InterruptedException {
        return answer(store.tryAcquire(claim));
    }

    /** Tries and must be granted. */
    public Granted granted(Claim claim) throws InterruptedException {
        AcquireResult result = tryAcquire(claim);
        assertThat(result).as("answer to %s", claim).isInstanceOf(Granted.class);
        return (Granted) result;
    }

    /** Tries with a fresh holder id and must be granted. */
    public Granted granted(Ask ask) throws InterruptedException {
        return granted(ask.claim());
    }

    /** Tries and must be refused. */
    public Refused refused(Claim claim) throws InterruptedException {
        AcquireResult result = tryAcquire(claim);
        assertThat(result).as("answer to %s", claim).isInstanceOf(Refused.class);
        return (Refused) result;
    }

    /** Tries with a fresh holder id and must be refused. */
    public Refused refused(Ask ask) throws InterruptedException {
        return refused(ask.claim());
    }

    /** Renews one. */
    public RenewResult renew(Claim claim) throws InterruptedException {
        List<RenewResult> results = answer(store.renew(List.of(claim)));
        assertThat(results).hasSize(1);
        return results.get(0);
    }

    /** Renews and must succeed. */
    public void renewed(Claim claim) throws InterruptedException {
        assertThat(renew(claim)).as("renewal of %s", claim).isInstanceOf(RenewResult.Renewed.class);
    }

    /** Renews and must be told that it is lost. */
    public RenewResult.Lost lost(Claim claim) throws InterruptedException {
        RenewResult result = renew(claim);
        assertThat(result).as("renewal of %s", claim).isInstanceOf(RenewResult.Lost.class);
        return (RenewResult.Lost) result;
    }

    /** Releases. */
    public ReleaseResult release(Claim claim) throws InterruptedException {
        return answer(store.release(claim));
    }

    /** Releases and must have held. */
    public void released(Claim claim) throws InterruptedException {
        assertThat(release(claim)).as("release of %s", claim).isInstanceOf(ReleaseResult.Released.class);
    }

    /** Releases and must not have held. */
    public ReleaseResult.NotHeld notHeld(Claim claim) throws InterruptedException {
        ReleaseResult result = release(claim);
        assertThat(result).as("release of %s", claim).isInstanceOf(ReleaseResult.NotHeld.class);
        return (ReleaseResult.NotHeld) result;
    }

    /** Revokes. */
    public RevokeResult revoke(String name, Revocation how) throws InterruptedException {
        return answer(store.revoke(name, how));
    }

    /** Revokes and must have found something. */
    public Duration revoked(String name, Revocation how) throws InterruptedException {
        RevokeResult result = revoke(name, how);
        assertThat(result).isInstanceOf(RevokeResult.Revoked.class);
        return ((RevokeResult.Revoked) result).opensIn();
    }

    /** The holders of a name. */
    public List<Holder> holders(String name) throws InterruptedException {
        return answer(store.inspect(LockQuery.name(name))).stream()
                .flatMap(status -> status.holders().stream())
                .toList();
    }

    /** One name, which the store must know of. */
    public LockStatus status(String name) throws InterruptedException {
        List<LockStatus> found = answer(store.inspect(LockQuery.name(name)));
        assertThat(found).as("status of '%s'", name).hasSize(1);
        assertThat(found.get(0).lockName()).isEqualTo(name);
        return found.get(0);
    }

    /** The names under a prefix. */
    public List<String> names(String prefix, int limit) throws InterruptedException {
        return answer(store.inspect(LockQuery.prefix(prefix, limit))).stream()
                .map(LockStatus::lockName)
                .toList();
    }

    /** No client holds the name or waits for it, and no lock-delay keeps it closed. */
    public void nothingLeft(String name) throws InterruptedException {
        List<LockStatus> left = answer(store.inspect(LockQuery.prefix(name, 10)));
        assertThat(left).as("what is left of '%s'", name).isEmpty();
    }

    /** Enqueues, with a wait of 10 minutes. */
    public EnqueueResult enqueue(Claim claim) throws InterruptedException {
        return enqueue(claim, Duration.ofMinutes(10));
    }

    /** Enqueues. */
    public EnqueueResult enqueue(Claim claim, Duration wait) throws InterruptedException {
        return answer(((QueueingStore) store).enqueue(claim, wait));
    }

    /** Enqueues and must wait. */
    public Ticket queued(Claim claim) throws InterruptedException {
        return queued(claim, Duration.ofMinutes(10));
    }

    /** Enqueues and must wait. */
    public Ticket queued(Claim claim, Duration wait) throws InterruptedException {
        return ticket(enqueue(claim, wait));
    }

    /** Exchanges, with a wait of 10 minutes. */
    public Exchanged exchange(Claim held, Claim next) throws InterruptedException {
        return answer(((QueueingStore) store).exchange(held, next, Duration.ofMinutes(10)));
    }

    /** The ticket of a claim that must wait. */
    public static Ticket ticket(EnqueueResult result) {
        assertThat(result).isInstanceOf(Queued.class);
        return ((Queued) result).ticket();
    }
}
