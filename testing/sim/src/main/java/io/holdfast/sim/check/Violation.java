package io.holdfast.sim.check;

/** A rule was broken. */
public final class Violation extends AssertionError {
    private final Rule rule;

    public Violation(Rule rule, String detail) {
        super(rule + " (" + rule.promise() + "): " + detail);
        this.rule = rule;
    }

    public Rule rule() {
        return rule;
    }
}
