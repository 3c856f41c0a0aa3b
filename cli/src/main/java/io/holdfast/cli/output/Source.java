package io.holdfast.cli.output;

/**
 * The store that an answer is from, for people.
 *
 * @param store its URL without secrets
 * @param namespace empty for none
 * @param tellsWaiting whether it keeps a list of waiters
 * @param tellsTime whether its tokens tell the time of the grant
 */
public record Source(String store, String namespace, boolean tellsWaiting, boolean tellsTime) {
    /** As in {@code redis://cache:6379, namespace 'billing'}. */
    @Override
    public String toString() {
        return store + (namespace.isEmpty() ? "" : ", namespace '" + namespace + "'");
    }
}
