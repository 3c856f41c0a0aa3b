package io.holdfast.spi.support;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * The bucket of a lock name. Stores keep the last token per bucket, not per name, so the room it takes does not grow with
 * the number of names; two names that share a bucket skip some tokens. Part of the stored format: it must never change.
 */
public final class NameBuckets {
    /** How many buckets there are. */
    public static final int COUNT = 4096;

    private NameBuckets() {}

    /** The last 12 bits of the CRC-32 of the name in UTF-8. */
    public static int of(String name) {
        CRC32 crc = new CRC32();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue() & (COUNT - 1);
    }
}
