package io.holdfast;

/** How a lock is held. */
public enum Mode {
    /** One holder, nobody beside it. */
    EXCLUSIVE,
    /** Any number of shared holders, no exclusive one. */
    SHARED,
    /** One of a fixed number of permits. A permit carries a token, but cannot be fenced by it. */
    PERMIT
}
