package io.holdfast.engine.runtime;

import io.holdfast.Ticker;
import io.holdfast.spi.HolderId;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Draws holder ids, each for one acquisition and never twice, also in copies of this process (U34).
 *
 * <p>A copy (a restored snapshot, a cloned virtual machine) has the memory of the original: its generators are in the
 * same state and go on with the same stream, and a pool of random bytes is copied with them, that of {@link SecureRandom}
 * included. Two equal ids are one holder to a store, which grants both. So nothing that was drawn before is enough; each
 * id takes 20 bytes that the kernel draws for it, and the clocks, which differ between copies from their first
 * instruction on unless they were both stopped and started again in the same nanosecond. Every word of the id is the
 * hash of its own part of the stream, its own fresh bytes and the clocks: whichever of the three differs, all digits do,
 * and every 16 of them are random on their own (U48).
 *
 * <p>What remains: the kernel of a cloned machine draws the same bytes in both clones until it notices (at once with a VM
 * generation id, else with its next reseeding, after a minute at most); meanwhile only the clocks tell the clones apart.
 * A lease that is held when the copy is made belongs to both.
 */
public abstract class HolderIds {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** The machine's, whatever clocks the client was given. */
    private static final Ticker CLOCKS = Ticker.system();

    /** The id of one acquisition. */
    public abstract HolderId next();

    /** From a generator alone: equal generators draw equal ids, for tests that are repeated. */
    public static HolderIds reproducible(RandomGenerator stream) {
        return new HolderIds() {
            @Override
            public HolderId next() {
                return new HolderId(stream.nextLong(), stream.nextLong(), stream.nextInt());
            }
        };
    }

    /** From a stream and what the kernel draws for each id. */
    public static HolderIds ofThisCopy(RandomGenerator stream) {
        return new Hashed(stream, Kernel.FRESH);
    }

    /** Fills the array with bytes that were in no memory before. */
    @FunctionalInterface
    interface Fresh {
        void fill(byte[] bytes);
    }

    /** The hash of a stream, fresh bytes and the clocks. */
    static final class Hashed extends HolderIds {
        private final RandomGenerator stream;
        private final Fresh fresh;

        Hashed(RandomGenerator stream, Fresh fresh) {
            this.stream = stream;
            this.fresh = fresh;
        }

        @Override
        public HolderId next() {
            byte[] bytes = new byte[20];
            fresh.fill(bytes);
            long clocks = mix(CLOCKS.nanos()) + mix(CLOCKS.wallMicros() + GOLDEN);
            long high = mix(stream.nextLong() + mix((long) LONGS.get(bytes, 0) ^ clocks));
            long middle = mix(stream.nextLong() + mix((long) LONGS.get(bytes, 8) ^ clocks + GOLDEN));
            long low = mix(stream.nextLong() + mix((int) INTS.get(bytes, 16) ^ clocks + 2 * GOLDEN));
            return new HolderId(high, middle, (int) (low >>> 32));
        }

        /** A bijection in which every bit of the result depends on every bit of the argument (Stafford's mix 13). */
        private static long mix(long value) {
            long z = value + GOLDEN;
            z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            return z ^ (z >>> 31);
        }
    }

    /** The operating system's generator, asked anew for each id. */
    private static final class Kernel {
        static final Fresh FRESH = open();

        private Kernel() {}

        private static Fresh open() {
            FileInputStream device = device();
            SecureRandom otherwise = new SecureRandom();
            return bytes -> {
                // Read directly: SecureRandom keeps a buffer of what it has read, which a copy shares.
                if (device == null || !filled(device, bytes)) {
                    otherwise.nextBytes(bytes);
                }
            };
        }

        /** Open for the life of the process. Reads of it do not disturb each other. */
        private static @Nullable FileInputStream device() {
            try {
                return new FileInputStream("/dev/urandom");
            } catch (IOException | SecurityException e) {
                return null; // Windows: its SecureRandom asks the system each time.
            }
        }

        private static boolean filled(FileInputStream device, byte[] bytes) {
            try {
                return device.read(bytes) == bytes.length;
            } catch (IOException e) {
                return false;
            }
        }
    }
}
