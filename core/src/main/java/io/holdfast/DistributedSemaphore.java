package io.holdfast;

/**
 * A fixed number of permits under one name. Each acquisition takes one permit. Permits carry tokens, but tokens
 * cannot fence them: the newest token does not make the others stale.
 */
public interface DistributedSemaphore extends Acquirable {
    /** How many may hold a permit at once, as this object sees it. */
    int permits();
}
