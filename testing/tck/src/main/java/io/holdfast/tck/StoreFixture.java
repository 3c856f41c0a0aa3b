package io.holdfast.tck;

import io.holdfast.spi.LockStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * What the test of a store writes for the suites: how to open a client of an empty backend, and its time. At most 40
 * lines. Every test asks for a fresh fixture.
 */
public interface StoreFixture extends AutoCloseable {
    /** What a test may do to the backend. */
    enum Fault {
        /** The backend forgets every lock, queue and token; marks need not survive it. */
        LOSE_DATA,
        /** The backend's wall clock jumps. */
        STEP_WALL_CLOCK
    }

    /** A new client of the backend, not yet attached. The suite closes it. */
    LockStore open(String clientName) throws Exception;

    /** The time of clients and backend. */
    TestTime time();

    /** A TTL that tests let run out: as short as the store keeps reliably on a busy machine. */
    Duration shortTtl();

    /** The faults that this fixture cannot cause; the clauses that need them are skipped and say so. */
    Set<Fault> declines();

    /** Causes {@link Fault#LOSE_DATA}. */
    default void loseData() throws Exception {
        throw new UnsupportedOperationException("a fixture either declines LOSE_DATA or causes it");
    }

    /** Causes {@link Fault#STEP_WALL_CLOCK}. */
    default void stepWallClock(Duration by) throws Exception {
        throw new UnsupportedOperationException("a fixture either declines STEP_WALL_CLOCK or causes it");
    }

    /** Whether tokens follow the store's clock (rule U6); false for stores with a counter of their own. */
    default boolean tokensFollowTheClock() {
        return true;
    }

    /**
     * Whether refused claims that wait are noted (S11), as a store without a queue does. False only for a store whose
     * clients wait in a queue of its server although it offers none: locks that database sessions hold.
     */
    default boolean notesWaits() {
        return true;
    }

    /** Where other processes of this machine find the same backend, if they can. */
    default Optional<String> url() {
        return Optional.empty();
    }

    /** Ends the backend. */
    @Override
    void close() throws IOException;
}
