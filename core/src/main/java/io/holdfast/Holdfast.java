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
     * @throws IllegalArgumentException as {@link #open(String)}
     * @throws StoreUnavailableException as {@link #open(String)}
     */
    static Holdfast open() {
        String url = System.getenv(STORE_VARIABLE);
        if (url == null || url.isBlank()) {
            throw new IllegalStateException("no store: call Holdfast.open(\"redis://…\"), set " + STORE_VARIABLE
                    + ", or ask for the one-machine store by name with Holdfast.embedded()");
        }
        return open(url);
    }

    /**
     * Opens the store at {@code url}, as in {@code redis://localhost:6379} or {@code sqlite:/var/lib/app/locks.db}.
     * Connects before it returns, for at most a few I/O timeouts of the store. Passwords appear in no message.
     *
     * @throws IllegalArgumentException if the URL or one of its options cannot be read, if its scheme is unknown or its
     *     store is not on the class path, or if the store refuses to serve as it is set up: tables that are missing, a
     *     server that evicts keys, a file on a network file system. The message says what to do
     * @throws StoreUnavailableException if the store cannot be reached, does not answer or refuses the login
     */
    static Holdfast open(String url) {
        return builder().url(url).open();
    }

    /**
     * Opens the embedded store of this user on this machine. It excludes processes of this machine only.
     *
     * @throws IllegalArgumentException if {@code holdfast-sqlite} is not on the class path or the file cannot be used
     * @throws StoreUnavailableException if the file cannot be opened
     */
    static Holdfast embedded() {
        return open("sqlite:");
    }

    /** Opens a client with a namespace, a label, other defaults, listeners or threads of the application. */
    static HoldfastBuilder builder() {
        return new HoldfastBuilder();
    }

    /**
     * The exclusive lock of this name. Does no I/O; the object may be kept or made anew for each use.
     *
     * @throws IllegalArgumentException if it is no lock name, see {@link LockNames}; so for every method with a name
     */
    DistributedLock mutex(String name);

    /** The lock of this name in shared and exclusive mode. Its write lock is {@link #mutex} of the same name. */
    DistributedReadWriteLock readWriteLock(String name);

    /**
     * {@code permits} permits under this name. Every client must use the same number: stores count the permits that are
     * out, and each claim compares that count with its own number. With 2 here and 3 there, a third permit is granted
     * there. Within one client a number that differs from that of the permits in use or waited for is refused when it is
     * acquired, with {@link IllegalStateException}; between clients it is not noticed.
     */
    DistributedSemaphore semaphore(String name, int permits);

    /** The exclusive locks of these names, all or none; 1 to 256 names, of which equal ones count once. */
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
     * Stops new work, fails the requests that wait, tells holders and leaders that their leases are lost ({@link
     * LossReason#CLIENT_CLOSED}), releases what is held (the last acquired first), closes the store and ends within two
     * I/O timeouts of the store. Does not wait for callbacks. Idempotent.
     */
    @Override
    void close();
}
