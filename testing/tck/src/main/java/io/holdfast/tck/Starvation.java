package io.holdfast.tck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures how much the machine kept this process from running, from {@link #begin()} on.
 *
 * <p>There are two measurements. A heartbeat thread wakes up every 10 ms and notes each gap between two beats: a stopped
 * process, a paused virtual machine and a long garbage collection are gaps. Linux counts the time during which some
 * task of the machine was ready to run and had no processor ({@code /proc/pressure/cpu}): that also shows that the
 * server under test, another process, was late. Without that file the heartbeat decides alone.
 *
 * <p>Thread-safe.
 */
final class Starvation {
    /** A lease of the shortest TTL in these suites is renewed about every 250 ms. */
    static final Duration LONGEST_GAP = Duration.ofMillis(100);

    /** Two busy loops beside a test on two cores give far more; a test alone on two cores gives less. */
    static final double LARGEST_SHARE = 0.25;

    private static final Duration BEAT = Duration.ofMillis(10);
    private static final int GAPS_KEPT = 1_000;
    private static final Path PRESSURE = Path.of("/proc/pressure/cpu");
    private static final Pattern SOME_TOTAL = Pattern.compile("some .*total=(\\d+)");

    private record Gap(long end, long nanos) {}

    /** One per JVM: a test that ends does not end it, so it does not look like a thread that was left behind. */
    private static final class Heartbeat {
        private static final Heartbeat ONLY = new Heartbeat();

        private final Deque<Gap> gaps = new ConcurrentLinkedDeque<>();
        private volatile long last = System.nanoTime();

        private Heartbeat() {
            Thread thread = new Thread(this::beat, "tck-heartbeat");
            thread.setDaemon(true);
            thread.start();
        }

        private void beat() {
            while (true) {
                LockSupport.parkNanos(BEAT.toNanos());
                long now = System.nanoTime();
                long gap = now - last - BEAT.toNanos();
                if (gap > LONGEST_GAP.toNanos() / 4) {
                    gaps.addLast(new Gap(now, gap));
                    if (gaps.size() > GAPS_KEPT) {
                        gaps.pollFirst();
                    }
                }
                last = now;
            }
        }

        long longestSince(long start) {
            long longest = Math.max(0, System.nanoTime() - Math.max(start, last) - BEAT.toNanos());
            for (Gap gap : gaps) {
                if (gap.end - start > 0) {
                    longest = Math.max(longest, Math.min(gap.nanos, gap.end - start));
                }
            }
            return longest;
        }
    }

    private final long start = System.nanoTime();
    private final OptionalLong waitedBefore = waitedMicros();

    private Starvation() {}

    /** Begins to measure. */
    static Starvation begin() {
        Heartbeat.ONLY.longestSince(System.nanoTime());
        return new Starvation();
    }

    /** How the process was starved since the beginning, in words; empty if it was not. */
    Optional<String> verdict() {
        Duration gap = Duration.ofNanos(Heartbeat.ONLY.longestSince(start));
        if (gap.compareTo(LONGEST_GAP) >= 0) {
            return Optional.of("this process did not run for " + gap.toMillis() + " ms");
        }
        OptionalLong waited = waitedMicros();
        double micros = Math.max(1, (System.nanoTime() - start) / 1e3);
        if (waited.isPresent() && waitedBefore.isPresent()) {
            double share = (waited.getAsLong() - waitedBefore.getAsLong()) / micros;
            if (share >= LARGEST_SHARE) {
                return Optional.of(String.format(
                        Locale.ROOT,
                        "programs that were ready to run waited for a processor during %.0f %% of %.1f s",
                        Math.min(1, share) * 100,
                        micros / 1e6));
            }
        }
        return Optional.empty();
    }

    /** Since the machine started; empty where the kernel does not tell. */
    private static OptionalLong waitedMicros() {
        try {
            Matcher some = SOME_TOTAL.matcher(Files.readString(PRESSURE));
            return some.find() ? OptionalLong.of(Long.parseLong(some.group(1))) : OptionalLong.empty();
        } catch (IOException notTold) {
            return OptionalLong.empty();
        }
    }
}
