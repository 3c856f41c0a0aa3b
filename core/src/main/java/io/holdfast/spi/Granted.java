package io.holdfast.spi;

/**
 * The claim holds the lock.
 *
 * @param token the first token of the grant, larger than every token granted for this name before
 * @param span how many consecutive tokens from {@code token} on are reserved for it; at least 1
 * @param term for how long
 * @param provisional whether the term is a short one that the first renewal, sent at once, makes a full lease (L3)
 */
public record Granted(long token, int span, Term term, boolean provisional) implements AcquireResult, EnqueueResult {
    /** A full grant. */
    public Granted(long token, int span, Term term) {
        this(token, span, term, false);
    }
}
