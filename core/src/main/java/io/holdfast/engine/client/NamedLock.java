package io.holdfast.engine.client;

import io.holdfast.DistributedLock;
import io.holdfast.LeaseLock;
import io.holdfast.Mode;

/** A lock in exclusive or shared mode. */
final class NamedLock extends Acquirer implements DistributedLock {
    NamedLock(HoldfastClient client, String name, Mode mode) {
        super(client, name, mode, 1);
    }

    @Override
    public LeaseLock asLock() {
        return new ThreadLock(client, this);
    }

    @Override
    public String toString() {
        return "DistributedLock[" + name() + ", " + mode() + ", " + client.store() + "]";
    }
}
