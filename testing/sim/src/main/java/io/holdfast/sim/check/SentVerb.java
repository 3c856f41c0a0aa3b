package io.holdfast.sim.check;

/** The kinds of request that a client sends about one claim. */
public enum SentVerb {
    ACQUIRE,
    ENQUEUE,
    RENEW,
    RELEASE,
    CANCEL
}
