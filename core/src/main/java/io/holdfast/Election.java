package io.holdfast;

import java.util.Optional;

/**
 * Leader election: the holder of the exclusive lock of this name leads. A leader resigns by itself at its local
 * deadline, before anybody else can be elected, and its token tells it from its successors.
 */
public interface Election {
    /** What a candidate is told, on the client's executor, one call at a time and in order. */
    interface Candidate {
        /** This process leads from now on, as long as {@code leadership} is valid. */
        void elected(Lease leadership);

        /** This process does not lead any more. The candidacy goes on. */
        default void deposed(Loss loss) {}
    }

    /** A running candidacy. */
    interface Candidacy extends AutoCloseable {
        /** Whether this process leads now, by the local clock. */
        boolean isLeader();

        /** The leadership, while this process leads. */
        Optional<Lease> leadership();

        /** Steps down and stands again, behind the others. */
        void resign();

        /** Steps down and does not stand any more. */
        @Override
        void close();
    }

    /** The name. */
    String name();

    /** Stands for election until the candidacy is closed. */
    Candidacy stand(LockOptions options, Candidate candidate);

    /** Who leads now, as the store tells it. */
    Optional<Holder> leader();
}
