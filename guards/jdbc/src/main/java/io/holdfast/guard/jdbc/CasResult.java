package io.holdfast.guard.jdbc;

/**
 * What a compare-and-swap came to.
 *
 * @param <T> the type of the value
 */
public sealed interface CasResult<T> {
    /** In which round it was decided, from 1 on. */
    int rounds();

    /**
     * The value was replaced.
     *
     * @param before what was read
     * @param after what was written
     * @param rounds in which round
     * @param <T> the type of the value
     */
    record Swapped<T>(T before, T after, int rounds) implements CasResult<T> {}

    /**
     * The caller's function left the value as it is.
     *
     * @param value what was read
     * @param rounds in which round
     * @param <T> the type of the value
     */
    record Kept<T>(T value, int rounds) implements CasResult<T> {}

    /**
     * There is no such row.
     *
     * @param rounds in which round
     * @param <T> the type of the value
     */
    record NoSuchRow<T>(int rounds) implements CasResult<T> {}
}
