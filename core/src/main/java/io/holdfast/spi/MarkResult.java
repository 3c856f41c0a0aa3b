package io.holdfast.spi;

/** The answer to {@link MarkingStore#admit}. */
public sealed interface MarkResult {
    /** Admitted and marked. */
    record Admitted() implements MarkResult {}

    /** Refused: a newer token was admitted before. */
    record Stale(long seen) implements MarkResult {}

    /** Refused: the resource is guarded by another lock. */
    record OtherLock(String lockName) implements MarkResult {}
}
