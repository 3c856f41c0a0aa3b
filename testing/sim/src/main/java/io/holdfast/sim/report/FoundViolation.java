package io.holdfast.sim.report;

import io.holdfast.sim.check.Rule;

/** A run found that a rule is broken. The message names the seed, which repeats it, and shows the last events. */
public final class FoundViolation extends AssertionError {
    private final long seed;
    private final Rule rule;

    public FoundViolation(long seed, Rule rule, String message, Throwable cause) {
        super(message, cause);
        this.seed = seed;
        this.rule = rule;
    }

    public long seed() {
        return seed;
    }

    public Rule rule() {
        return rule;
    }
}
