package io.holdfast;

/**
 * A fixed number of permits under one name. Each acquisition takes one permit. Permits carry tokens, but tokens
 * cannot fence them: the newest token does not make the others stale.
 */
public interface DistributedSemaphore extends Acquirable {
    /**
     * How many permits may be out at once, as this object was told. The store compares the number of each claim with the
     * permits that are out and does not keep it: clients that disagree each get their own limit, and none is told.
     * Clients of one store must use the same number. Within one client another number is refused when it is acquired.
     */
    int permits();
}
