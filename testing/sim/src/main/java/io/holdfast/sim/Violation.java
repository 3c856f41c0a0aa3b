package io.holdfast.sim;

/** A rule was broken. */
final class Violation extends AssertionError {
    private final Rule rule;

    Violation(Rule rule, String detail) {
        super(rule + " (" + rule.promise() + "): " + detail);
        this.rule = rule;
    }

    Rule rule() {
        return rule;
    }
}
