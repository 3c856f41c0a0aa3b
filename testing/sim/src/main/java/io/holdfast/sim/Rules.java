package io.holdfast.sim;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks, and counts how often each rule really was checked, so that a check that never runs is noticed. The first
 * violation is kept beside being thrown: futures and listeners swallow what their callbacks throw.
 */
final class Rules {
    private final Tally<Rule> checked = new Tally<>(Rule.class);
    private @Nullable Violation first;

    void require(Rule rule, boolean holds, Supplier<String> detail) {
        checked.add(rule);
        if (!holds) {
            fail(rule, detail.get());
        }
    }

    void fail(Rule rule, String detail) {
        Violation violation = new Violation(rule, detail);
        first = first == null ? violation : first;
        throw violation;
    }

    /** Throws what was found, even if it was swallowed on the way. */
    void rethrow() {
        if (first != null) {
            throw first;
        }
    }

    Tally<Rule> checked() {
        return checked;
    }
}
