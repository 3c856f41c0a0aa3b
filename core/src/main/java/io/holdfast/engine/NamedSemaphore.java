package io.holdfast.engine;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Mode;

/** Permits under one name. */
final class NamedSemaphore extends Acquirer implements DistributedSemaphore {
    NamedSemaphore(HoldfastClient client, String name, int permits) {
        super(client, name, Mode.PERMIT, permits);
    }

    @Override
    public String toString() {
        return "DistributedSemaphore[" + name() + ", " + permits() + " permits, " + client.store() + "]";
    }
}
