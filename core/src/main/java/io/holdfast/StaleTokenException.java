package io.holdfast;

/** A guard refused a token because it had admitted a newer one: the lock has moved on, and this holder must stop. */
public final class StaleTokenException extends HoldfastException {
    private final long seen;
    private final long offered;

    /**
     * Of a refusal.
     *
     * @param resource what is guarded
     * @param lockName the lock of the offered sequencer
     * @param seen the newer token that the guard had admitted
     * @param offered the token that was refused
     */
    public StaleTokenException(String resource, String lockName, long seen, long offered) {
        super("'" + resource + "' has admitted token " + seen + " of lock '" + lockName + "'; " + offered
                + " is stale: stop, the lock was granted to another holder meanwhile");
        this.seen = seen;
        this.offered = offered;
    }

    /** The token that the guard had admitted. */
    public long seen() {
        return seen;
    }

    /** The token that was refused. */
    public long offered() {
        return offered;
    }
}
