package io.holdfast.bench.question;

import io.holdfast.bench.library.HoldfastLibrary;
import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.TemporaryFolder;
import io.holdfast.bench.process.ChildJvm;
import io.holdfast.bench.process.FairChild;
import io.holdfast.bench.process.SharedSection;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Processes that each acquire one name, hold it for 50 ms, release it and ask again at once: does one of them starve
 * (L12)?
 */
public final class Fairness implements Question {
    public static final String ID = "fairness";
    public static final String UNFAIRNESS = "most/fewest grants per process";
    public static final String WORST_WAIT = "worst wait in ms";
    private static final String GRANTS = "grants/s";
    private static final int PROCESSES = 4;
    private static final Duration TTL = Duration.ofSeconds(30);

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String text(StoreUnderTest store) {
        return PROCESSES + " processes of one thread: acquire, hold for " + FairChild.HELD.toMillis()
                + " ms, release, again; how often each had the lock, and how long one waited at most";
    }

    @Override
    public boolean suits(StoreUnderTest store) {
        return store.betweenProcesses();
    }

    /** The peers promise nothing here. */
    @Override
    public List<LockLibrary> libraries(StoreUnderTest store) {
        return List.of(HoldfastLibrary.DEFAULT);
    }

    @Override
    public Run fullRun() {
        return new Run(Duration.ofSeconds(3), Duration.ofSeconds(20), false);
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder()) {
            Path file = folder.path().resolve("section");
            SharedSection section = SharedSection.in(file);
            List<ChildJvm> children = new ArrayList<>();
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    children.add(FairChild.start(store, library, running.url(), TTL, file, i));
                }
                return measure(run, children, section);
            } finally {
                for (ChildJvm child : children) {
                    child.close();
                }
            }
        }
    }

    private static Measurement measure(Run run, List<ChildJvm> children, SharedSection section) throws Exception {
        // Every process says that it had the lock once.
        Answers warm = answers(children);
        TimeUnit.NANOSECONDS.sleep(run.warmUp().toNanos());
        Answers before = ask(children);
        long start = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(run.measure().toNanos());
        Answers measured = ask(children);
        long nanos = System.nanoTime() - start;
        for (ChildJvm child : children) {
            child.tellToEnd();
        }
        Answers last = answers(children);
        long passes = warm.sum() + before.sum() + measured.sum() + last.sum();
        return Measurement.of(GRANTS, measured.sum() * 1e9 / nanos)
                .with(UNFAIRNESS, measured.unfairness())
                .with(WORST_WAIT, (double) measured.worstMillis())
                .with(section.violations(passes));
    }

    private static Answers ask(List<ChildJvm> children) throws IOException {
        for (ChildJvm child : children) {
            child.ask();
        }
        return answers(children);
    }

    private static Answers answers(List<ChildJvm> children) throws IOException {
        List<Long> grants = new ArrayList<>();
        long worst = 0;
        for (ChildJvm child : children) {
            grants.add(child.answer(FairChild.GRANTS));
            worst = Math.max(worst, child.answer(FairChild.WORST));
        }
        return new Answers(grants, worst);
    }

    /** What all processes say of the time since they were last asked. */
    private record Answers(List<Long> grants, long worstMillis) {
        long sum() {
            return grants.stream().mapToLong(Long::longValue).sum();
        }

        /** A process without a grant would make the quotient infinite; one grant instead of none keeps it a number. */
        double unfairness() {
            long most = Collections.max(grants);
            long fewest = Collections.min(grants);
            return Math.max(1, most) / (double) Math.max(1, fewest);
        }
    }
}
