package io.holdfast.sim.check;

import io.holdfast.spi.HolderId;

/** Short forms for traces. */
public final class TraceText {
    private TraceText() {}

    public static String brief(HolderId holder) {
        return holder.toString().substring(0, 8);
    }
}
