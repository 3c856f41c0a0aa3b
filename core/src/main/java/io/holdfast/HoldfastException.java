package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The root of Holdfast's own exceptions. Contention is a value where the method's name begins with {@code try}. */
public class HoldfastException extends RuntimeException {
    /** With a message that names the lock, the holder and what to do. */
    public HoldfastException(String message) {
        super(message);
    }

    /** With a cause. */
    public HoldfastException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
