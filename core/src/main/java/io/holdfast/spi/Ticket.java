package io.holdfast.spi;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A place in a store's queue. Thread-safe. */
public interface Ticket {
    /**
     * Completes with the grant when the store hands the lock to this waiter; exceptionally with {@link
     * io.holdfast.StoreUnavailableException} if the place was lost. It may complete on any thread, outside of every
     * lock of the store.
     */
    CompletionStage<Granted> granted();

    /**
     * Gives the place up, or releases the grant if there is one already. {@link ReleaseResult.Released} says that it
     * had been granted, {@link ReleaseResult.NotHeld} that it had not. Afterwards the claim is never granted.
     */
    CompletionStage<ReleaseResult> cancel();

    /** The place is wanted for {@code wait} from now on: another thread took it over. */
    void extend(Duration wait);
}
