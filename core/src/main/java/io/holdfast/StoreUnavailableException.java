package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be reached, did not answer in time or refused to work. Unknown is not false: {@link
 * #outcomeUnknown()} says whether the request may have taken effect all the same.
 */
public final class StoreUnavailableException extends HoldfastException {
    private final boolean outcomeUnknown;

    /** With what happened. */
    public StoreUnavailableException(String message, boolean outcomeUnknown, @Nullable Throwable cause) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
    }

    /**
     * True if the request may have been executed. After an acquire Holdfast has then sent the release of that holder
     * id and repeats it in the background, so nothing outlives the TTL.
     */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }
}
