package io.holdfast.arch.broken.engine;

import org.assertj.core.api.Assertions;

/** Breaks: core has no runtime dependency. */
public final class EngineSeesAssertj {
    private EngineSeesAssertj() {}

    /** Calls a library. */
    public static void check(boolean held) {
        Assertions.assertThat(held).isTrue();
    }
}
