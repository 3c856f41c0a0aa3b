package io.holdfast.sim;

/** A run found that a rule is broken. The message names the seed, which repeats it, and shows the last events. */
final class FoundViolation extends AssertionError {
    private final Rule rule;

    FoundViolation(Rule rule, String message, Throwable cause) {
        super(message, cause);
        this.rule = rule;
    }

    Rule rule() {
        return rule;
    }
}
