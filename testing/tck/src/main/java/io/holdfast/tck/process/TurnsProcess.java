package io.holdfast.tck.process;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes a lock again and again, holds it for 50 ms and gives it back. Says "ready", waits for a file to appear, and at the
 * end says how many turns it had, its longest wait, and for how long at most this process or the server
 * did not run, both in milliseconds. Arguments:
 * store URL, file, period in milliseconds.
 */
public final class TurnsProcess {
    static final Duration SECTION = Duration.ofMillis(50);

    private TurnsProcess() {}

    public static void main(String[] arguments) throws Exception {
        Path go = Path.of(arguments[1]);
        long period = Duration.ofMillis(Long.parseLong(arguments[2])).toNanos();
        try (Holdfast holdfast = Holdfast.open(arguments[0])) {
            holdfast.mutex("warm-up-" + ProcessHandle.current().pid()).acquire().close();
            System.out.println("ready");
            while (!Files.exists(go)) {
                Thread.sleep(5);
            }
            AtomicLong starved = new AtomicLong();
            heartbeat(starved);
            long begin = System.nanoTime();
            int turns = 0;
            long worst = 0;
            while (System.nanoTime() - begin < period) {
                long asked = System.nanoTime();
                Lease lease = holdfast.mutex("turns").acquire(LockOptions.waitUpTo(Duration.ofMinutes(1)));
                worst = Math.max(worst, System.nanoTime() - asked);
                Thread.sleep(SECTION.toMillis());
                lease.ensureValid();
                long left = System.nanoTime();
                lease.close();
                starved.accumulateAndGet(System.nanoTime() - left, Math::max); // a server that does not run
                turns++;
            }
            System.out.println(turns + " " + worst / 1_000_000 + " "
                    + Duration.ofNanos(starved.get()).toMillis());
        }
    }

    /** Notes for how long this process did not run although it could have. */
    private static void heartbeat(AtomicLong starved) {
        Thread thread = new Thread(() -> {
            long last = System.nanoTime();
            while (true) {
                try {
                    Thread.sleep(10);
                } catch (InterruptedException e) {
                    return;
                }
                long now = System.nanoTime();
                long gap = now - last - 10_000_000;
                starved.accumulateAndGet(gap, Math::max);
                last = now;
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
