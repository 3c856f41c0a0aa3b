package io.holdfast.engine.runtime;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/**
 * A thread-safe stream with 256 bits of state (xoshiro256++), seeded from {@link SecureRandom}. A copy of the process
 * goes on with the same stream: {@link HolderIds} adds what a copy does not share.
 */
public final class SharedRandom implements RandomGenerator {
    private long s0;
    private long s1;
    private long s2;
    private long s3;

    public SharedRandom() {
        ByteBuffer seed = ByteBuffer.allocate(32);
        new SecureRandom().nextBytes(seed.array());
        s0 = seed.getLong();
        s1 = seed.getLong();
        s2 = seed.getLong();
        s3 = seed.getLong() | 1;
    }

    @Override
    public synchronized long nextLong() {
        long result = Long.rotateLeft(s0 + s3, 23) + s0;
        long t = s1 << 17;
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= t;
        s3 = Long.rotateLeft(s3, 45);
        return result;
    }
}
