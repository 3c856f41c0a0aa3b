package io.holdfast.sim;

import io.holdfast.spi.HolderId;

/** Short forms for traces. */
final class Texts {
    private Texts() {}

    static String brief(HolderId holder) {
        return holder.toString().substring(0, 8);
    }
}
