package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A client of one lock store: the way to every lock. Thread-safe; open one per process and store, and close it.
 *
 * <pre>{@code
 * try (Holdfast holdfast = Holdfast.open("redis://localhost:6379")) {
 *     holdfast.mutex("stock:sku-42").runHeld(waitUpTo(ofSeconds(2)), lease -> takeOne(lease.sequencer()));
 * }
 * }</pre>
 */
public interface Holdfast extends AutoCloseable {
    /** The environment variable that names the store for {@link #open()}. */
    String STORE_VARIABLE = "HOLDFAST_STORE";

    /**
     * Opens the store that the environment variable {@value #STORE_VARIABLE} names.
     *
     * @throws IllegalStateException if it is not set: a private file per pod would let every pod hold the lock
     */
    static Holdfast open() {
        String url = System.getenv(STORE_VARIABLE);
        if (url == null || url.isBlank()) {
            throw new IllegalStateException("no store: call Holdfast.open(\"redis://…\"), set " + STORE_VARIABLE
                    + ", or ask for the one-machine store by name with Holdfast.embedded()");
        }
        return open(url);
    }

    /** Opens the store at {@code url}, as in {@code sqlite:/var/lib/app/locks.db}. */
    static Holdfast open(String url) {
        return builder().url(url).open();
    }

    /** Opens the embedded store of this user on this machine. It excludes processes of this machine only. */
    static Holdfast embedded() {
        return open("sqlite:");
    }

    /** For everything else. */
    static HoldfastBuilder builder() {
        return new HoldfastBuilder();
    }

    /** The exclusive lock of this name. */
    DistributedLock mutex(String name);

    /** The lock of this name in shared and exclusive mode. Its write lock is {@link #mutex} of the same name. */
    DistributedReadWriteLock readWriteLock(String name);

    /** {@code permits} permits under this name. */
    DistributedSemaphore semaphore(String name, int permits);

    /** The exclusive locks of these names, all or none. */
    DistributedLocks mutexes(String... names);

    /** Leader election on the exclusive lock of this name. */
    Election election(String name);

    /** Asks the store whether the lock was held under this token: Chubby's CheckSequencer. The answer is about the past. */
    CheckResult check(Sequencer sequencer);

    /** What the store knows of one lock. */
    Optional<LockStatus> inspect(String name);

    /** What the store knows of the names that begin so and are held, waited for or closed; at most {@code limit}. */
    List<LockStatus> list(String prefix, int limit);

    /**
     * Takes a lock from its holders.
     *
     * @return how long until it opens, zero if it is open now; empty if nobody held it
     */
    Optional<Duration> revoke(String name, Revocation how);

    /**
     * Marks a resource whose mark is kept in the store, for resources that cannot keep it themselves.
     *
     * @throws StaleTokenException if a newer token was admitted before
     * @throws UnsupportedOperationException if the store keeps no marks
     */
    void admit(String resource, Sequencer sequencer);

    /** The store, for people; without a password. */
    String store();

    /** The random id of this client, as {@link Holder#clientId()} shows it. */
    String clientId();

    /**
     * Stops new work, fails those who wait, tells holders that their leases are lost, releases what is held (the last
     * acquired first) and ends within two I/O timeouts of the store.
     */
    @Override
    void close();
}
