package io.holdfast;

/**
 * What the store says about a sequencer. The answer is about the past: the lock may have moved on before it arrives.
 * Only a guard in the resource's own transaction closes that gap.
 */
public enum CheckResult {
    /** The lock was held under this token when the store looked. */
    VALID,
    /** The lock was not held under this token: it was released, lost, or granted again with a newer token. */
    STALE,
    /** The store cannot tell: it never issued a token that high, so it lost data or the sequencer is of another store. */
    UNKNOWN
}
