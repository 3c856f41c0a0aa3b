package io.holdfast;

import java.time.Duration;
import java.util.Optional;

/**
 * Leader election: the holder of the exclusive lock of this name leads. A leader stops leading by itself at its local
 * deadline, before another process can be elected, and its token tells it from its successors.
 *
 * <p>{@link #stand(LockOptions, Candidate)} is told of the beginning and the end of each leadership; {@link
 * #lead(LockOptions, Acquirable.Task)} runs work for as long as it leads. Either way the client keeps the candidacy until
 * it is closed: the program need not keep the {@link Candidacy}, and a leader that has dropped it is still told of its
 * end.
 *
 * <p>Thread-safe. The wait in the options is not used: a candidacy has no end. A candidacy whose store cannot be reached
 * logs it and goes on trying.
 */
public interface Election {
    /**
     * What a candidate is told.
     *
     * <ul>
     *   <li>[E1] {@link #deposed} is called exactly once for each {@link #elected}, whatever ended the leadership: its
     *       loss, {@link Candidacy#resign()}, {@link Candidacy#close()}, a release of the leadership's lease, an
     *       exception in {@code elected}, or the close of the client.
     *   <li>[E2] The calls run on the client's executor, one at a time and in order. So {@code elected} must return: a
     *       call that goes on for as long as it leads is {@link Election#lead(LockOptions, Acquirable.Task)}.
     *   <li>[E3] A leadership that ends by the leader's own will is released after {@code deposed} has returned: what the
     *       candidate stops there has stopped before another process is elected. A lost leadership waits for nothing.
     * </ul>
     */
    @FunctionalInterface
    interface Candidate {
        /**
         * This process leads from now on, as long as {@code leadership} is valid. A candidate that throws resigns: the
         * exception is logged, {@link #deposed} is called, and the candidacy stands again a second later.
         */
        void elected(Lease leadership) throws Exception;

        /**
         * This process does not lead any more. The candidacy goes on, unless it was closed. An exception is logged.
         *
         * @param loss how the leadership ended; {@link LossReason#RESIGNED} if the leader gave it up
         */
        default void deposed(Loss loss) throws Exception {}
    }

    /** A running candidacy. Thread-safe. The client keeps it until it is closed. */
    interface Candidacy extends AutoCloseable {
        /** Whether this process leads now, by the local clock. Never blocks. */
        boolean isLeader();

        /** The leadership, while this process leads. Never blocks. */
        Optional<Lease> leadership();

        /**
         * Waits until this process leads.
         *
         * @throws InterruptedException if the thread was interrupted first; the candidacy goes on
         * @throws IllegalStateException if the candidacy or its client is closed
         */
        Lease awaitLeadership() throws InterruptedException;

        /**
         * Waits until this process leads; empty if it does not within {@code longest}. The candidacy goes on.
         *
         * @throws InterruptedException if the thread was interrupted first; the candidacy goes on
         * @throws IllegalStateException if the candidacy or its client is closed
         */
        Optional<Lease> awaitLeadership(Duration longest) throws InterruptedException;

        /**
         * Steps down and stands again, behind the others. Returns at once: the leadership is released after {@link
         * Candidate#deposed} has returned, or after the work of {@link Election#lead(LockOptions, Acquirable.Task)} has,
         * which is interrupted. Does nothing if this process does not lead. Releasing the leadership's lease does the
         * same, but at once.
         */
        void resign();

        /** Steps down as {@link #resign()} and does not stand any more. Idempotent. */
        @Override
        void close();
    }

    /** The name. */
    String name();

    /** Stands for election until the candidacy or the client is closed. Returns at once. */
    Candidacy stand(LockOptions options, Candidate candidate);

    /** Stands for election with the client's defaults; as {@link #stand(LockOptions, Candidate)}. */
    default Candidacy stand(Candidate candidate) {
        return stand(LockOptions.defaults(), candidate);
    }

    /**
     * Stands for election and leads while {@code work} runs. Returns at once.
     *
     * <ul>
     *   <li>[E4] The work runs on the client's executor each time this process is elected. It leads until it returns or
     *       throws; then the leadership is released, and the candidacy stands again a second later, behind the others,
     *       until it is closed. An exception is logged.
     *   <li>[E5] If the leadership is lost, resigned or closed while the work runs, the thread of the work is
     *       interrupted, once and never after the work has returned. A leadership that was not lost stays held until the
     *       work has returned, however long that takes.
     * </ul>
     */
    Candidacy lead(LockOptions options, Acquirable.Task<? extends Exception> work);

    /** Stands for election with the client's defaults; as {@link #lead(LockOptions, Acquirable.Task)}. */
    default Candidacy lead(Acquirable.Task<? extends Exception> work) {
        return lead(LockOptions.defaults(), work);
    }

    /** The leader, as the store tells it now. */
    Optional<Holder> leader();
}
