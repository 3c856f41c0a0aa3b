package io.holdfast.guard.jdbc;

import io.holdfast.HoldfastException;

/** Another client changed the value in every round, so this one changed nothing. */
public final class ContendedException extends HoldfastException {
    private final int rounds;

    /**
     * After the last round.
     *
     * @param what what was to be changed
     * @param rounds how many rounds were lost
     */
    public ContendedException(String what, int rounds) {
        super(what + " was changed by others in each of " + rounds
                + " rounds, and nothing was written: allow more rounds or longer pauses, or take a lock");
        this.rounds = rounds;
    }

    /** How many rounds were lost. */
    public int rounds() {
        return rounds;
    }
}
