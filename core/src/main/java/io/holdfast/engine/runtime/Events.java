package io.holdfast.engine.runtime;

import io.holdfast.HoldfastListener;
import java.util.List;
import java.util.function.Consumer;

/**
 * The listeners. Callers ask {@link #any()} first, so that nothing is built without a listener. Whatever a listener throws
 * is logged and changes nothing (L13): a store may be in the middle of losing its connection.
 */
public final class Events {
    private final boolean any;
    private final HoldfastListener[] listeners;

    public Events(List<HoldfastListener> listeners) {
        this.listeners = listeners.toArray(HoldfastListener[]::new);
        this.any = this.listeners.length > 0;
    }

    /** Whether there is a listener. */
    public boolean any() {
        return any;
    }

    public void tell(Consumer<HoldfastListener> event) {
        for (HoldfastListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                Log.warning("a listener failed and was ignored", e);
            }
        }
    }
}
