package io.holdfast.spi;

import java.time.Duration;
import java.util.List;

/** Opens stores of some URL schemes. Found by {@link java.util.ServiceLoader}. */
public interface StoreProvider {
    /** The schemes that this provider opens, the most common one first. */
    List<Scheme> schemes();

    /** The artifact that brings this store, for lists and messages: {@code holdfast-redis}. */
    String artifact();

    /**
     * Opens a store. Errors in the URL are {@link IllegalArgumentException} that name the value and the remedy, without
     * a password; a store that cannot be reached is {@link io.holdfast.StoreUnavailableException}.
     */
    LockStore open(StoreUrl url, Settings settings);

    /** Whether this provider opens URLs of that scheme. */
    default boolean opens(String scheme) {
        return schemes().stream().anyMatch(known -> known.name().equals(scheme));
    }

    /**
     * A URL scheme.
     *
     * @param name lower case, without the colon
     * @param example a whole URL, as a user would write it
     */
    record Scheme(String name, String example) {}

    /**
     * What the client says to the store it opens.
     *
     * @param namespace separates users of one store; empty for none
     * @param defaultTtl the client's default, from which session stores choose their session timeout
     */
    record Settings(String namespace, Duration defaultTtl) {}
}
