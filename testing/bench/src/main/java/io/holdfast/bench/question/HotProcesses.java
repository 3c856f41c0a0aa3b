package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.Contention;
import io.holdfast.bench.measure.TemporaryFolder;
import io.holdfast.bench.process.ChildJvm;
import io.holdfast.bench.process.SectionChild;
import io.holdfast.bench.process.SharedSection;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Several processes on one name, with a section that they share. */
public final class HotProcesses implements Question {
    public static final String ID = "hot-processes";
    public static final String UNFAIRNESS = "max/min per process";
    private static final Duration TTL = Duration.ofSeconds(30);

    private final int processes;

    public HotProcesses(int processes) {
        this.processes = processes;
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String text(StoreUnderTest store) {
        return processes + " processes of " + SectionChild.THREADS
                + " threads on one hot name; every pass is checked across the processes";
    }

    @Override
    public boolean suits(StoreUnderTest store) {
        return store.betweenProcesses();
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder()) {
            Path file = folder.path().resolve("section");
            SharedSection section = SharedSection.in(file);
            List<ChildJvm> children = new ArrayList<>();
            try {
                for (int i = 0; i < processes; i++) {
                    children.add(SectionChild.start(store, library, running.url(), TTL, file, i));
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
        answers(children);
        TimeUnit.NANOSECONDS.sleep(run.warmUp().toNanos());
        long[] before = ask(children);
        long start = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(run.measure().toNanos());
        long[] after = ask(children);
        long nanos = System.nanoTime() - start;
        for (ChildJvm child : children) {
            child.tellToEnd();
        }
        long[] last = answers(children);
        Measurement rate = Contention.measurement(before, after, nanos);
        return Measurement.of(Contention.RATE, rate.values().getOrDefault(Contention.RATE, 0.0))
                .with(UNFAIRNESS, rate.values().getOrDefault(Contention.UNFAIRNESS, 0.0))
                .with(section.violations(Arrays.stream(last).sum()));
    }

    /** Asks every process at once how often it had the lock so far. */
    private static long[] ask(List<ChildJvm> children) throws IOException {
        for (ChildJvm child : children) {
            child.ask();
        }
        return answers(children);
    }

    private static long[] answers(List<ChildJvm> children) throws IOException {
        long[] counts = new long[children.size()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = children.get(i).answer(SectionChild.PASSES);
        }
        return counts;
    }
}
