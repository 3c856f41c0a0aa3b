package io.holdfast.sim;

/** What a client sends to the store about one claim. */
enum Verb {
    ACQUIRE,
    ENQUEUE,
    RENEW,
    RELEASE,
    CANCEL
}
