package io.holdfast.sim.check;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks rules and counts how often each was checked, so that a check that never runs is noticed. The first violation is
 * thrown and also kept, because futures and listeners swallow what their callbacks throw.
 */
public final class Rules {
    private final EnumCounts<Rule> checked = new EnumCounts<>(Rule.class);
    private @Nullable Violation first;

    public void require(Rule rule, boolean holds, Supplier<String> detail) {
        checked.add(rule);
        if (!holds) {
            fail(rule, detail.get());
        }
    }

    public void fail(Rule rule, String detail) {
        Violation violation = new Violation(rule, detail);
        first = first == null ? violation : first;
        throw violation;
    }

    /** Throws what was found, even if it was swallowed on the way. */
    public void rethrow() {
        if (first != null) {
            throw first;
        }
    }

    public EnumCounts<Rule> checked() {
        return checked;
    }
}
