package io.holdfast.spi;

import java.time.Duration;
import java.util.Set;

/** Opens stores of some URL schemes. Found by {@link java.util.ServiceLoader}. */
public interface StoreProvider {
    /** The schemes, lower case, without the colon. */
    Set<String> schemes();

    /**
     * Opens a store. Errors in the URL are {@link IllegalArgumentException} that name the value and the remedy, without
     * a password; a store that cannot be reached is {@link io.holdfast.StoreUnavailableException}.
     */
    LockStore open(StoreUrl url, Settings settings);

    /**
     * What the client says to the store it opens.
     *
     * @param namespace separates users of one store; empty for none
     * @param defaultTtl the client's default, from which session stores choose their session timeout
     */
    record Settings(String namespace, Duration defaultTtl) {}
}
