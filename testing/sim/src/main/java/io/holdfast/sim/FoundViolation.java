package io.holdfast.sim;

/** A run found that a rule is broken. The message names the seed, which repeats it, and shows the last events. */
final class FoundViolation extends AssertionError {
    private final long seed;
    private final Rule rule;

    FoundViolation(long seed, Rule rule, String message, Throwable cause) {
        super(message, cause);
        this.seed = seed;
        this.rule = rule;
    }

    long seed() {
        return seed;
    }

    Rule rule() {
        return rule;
    }
}
