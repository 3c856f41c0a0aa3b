package io.holdfast.redis;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** Tells a request that a driver sends again from another one. */
final class RequestId {
    private RequestId() {}

    /** Sixteen random digits. */
    static String next() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }
}
