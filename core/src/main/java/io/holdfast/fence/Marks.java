package io.holdfast.fence;

import io.holdfast.Mode;

/**
 * The two marks of a guarded resource, and the rule by which a token is admitted. A pure value: a guard keeps it in the
 * resource's own transaction.
 *
 * <p>An exclusive token is admitted if it is at least {@code any}, a shared one if it is above {@code exclusive}. So a
 * stale writer cannot write under newer readers, nor a stale reader read past a newer writer. The same token is
 * admitted again.
 *
 * @param any the highest token admitted in any mode, or 0
 * @param exclusive the highest token admitted in exclusive mode, or 0
 */
public record Marks(long any, long exclusive) {
    /** Of a resource that nobody has touched. */
    public static final Marks NONE = new Marks(0, 0);

    /** Checks the order of the two. */
    public Marks {
        if (exclusive < 0 || any < exclusive) {
            throw new IllegalArgumentException("marks " + any + "/" + exclusive + " contradict each other");
        }
    }

    /** Whether a token in this mode is admitted. */
    public boolean admits(Mode mode, long token) {
        return switch (mode) {
            case EXCLUSIVE -> token >= any;
            case SHARED -> token > exclusive;
            case PERMIT ->
                throw new IllegalArgumentException(
                        "permits cannot be fenced: the newest token does not make the others stale");
        };
    }

    /** The marks after a token was admitted. */
    public Marks with(Mode mode, long token) {
        return new Marks(Math.max(any, token), mode == Mode.EXCLUSIVE ? Math.max(exclusive, token) : exclusive);
    }

    /** The token that stands against one in this mode. */
    public long against(Mode mode) {
        return mode == Mode.EXCLUSIVE ? any : exclusive;
    }
}
