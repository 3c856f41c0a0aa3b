package io.holdfast.engine.lease;

import io.holdfast.Loss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The callbacks of a lease, and its loss once it is known. Most leases have neither. Guarded by the lease. */
final class LossListeners {
    final List<Consumer<? super Loss>> onLost = new ArrayList<>(2);
    final List<Consumer<? super Duration>> onJeopardy = new ArrayList<>(2);

    @Nullable
    Runnable onReleased;

    @Nullable
    Loss loss;
}
