package io.holdfast.bench.measure;

import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;

/**
 * One thread that does the same work again and again, in batches. What a batch needs can be prepared outside of the
 * time and allocation that are counted.
 */
public final class RepeatedWork {
    public static final String NANOS = "ns";
    public static final String BYTES = "bytes allocated";
    public static final String RATE = "pairs/s";

    private RepeatedWork() {}

    /** A batch of work. */
    public interface Batch {
        /** How often the work is done in a batch. */
        int size();

        /** Prepares the next batch; not counted. */
        default void prepare() throws Exception {}

        /** Does the work once; {@code index} counts from 0 within the batch. */
        void work(int index) throws Exception;
    }

    /** Batches of lock and unlock. */
    public static Batch pairs(LockClient.Handle lock, int size) {
        return new Batch() {
            @Override
            public int size() {
                return size;
            }

            @Override
            public void work(int index) throws Exception {
                lock.lock();
                lock.unlock();
            }
        };
    }

    /** The mean time and allocation of doing the work once, over all batches after the warm-up. */
    public static Measurement measure(Run run, Batch batch) throws Exception {
        repeat(batch, run.warmUp().toNanos());
        Totals totals = repeat(batch, run.measure().toNanos());
        double nanos = (double) totals.nanos / totals.count;
        return Measurement.of(NANOS, nanos)
                .with(BYTES, (double) totals.bytes / totals.count)
                .with(RATE, 1e9 / nanos);
    }

    private record Totals(long count, long nanos, long bytes) {}

    private static Totals repeat(Batch batch, long wantedNanos) throws Exception {
        long count = 0;
        long nanos = 0;
        long bytes = 0;
        do {
            batch.prepare();
            long bytesBefore = Allocation.bytes();
            long before = System.nanoTime();
            for (int i = 0; i < batch.size(); i++) {
                batch.work(i);
            }
            nanos += System.nanoTime() - before;
            bytes += Allocation.bytes() - bytesBefore - METER_BYTES;
            count += batch.size();
        } while (nanos < wantedNanos);
        return new Totals(count, nanos, bytes);
    }

    /** What reading the meter allocates itself: the arrays and the stream, between its two readings. */
    private static final long METER_BYTES = meterBytes();

    private static long meterBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 10_000; i++) {
            long before = Allocation.bytes();
            least = Math.min(least, Allocation.bytes() - before);
        }
        return least;
    }
}
