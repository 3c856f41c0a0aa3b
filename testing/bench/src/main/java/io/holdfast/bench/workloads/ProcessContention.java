package io.holdfast.bench.workloads;

import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Several processes on one name, with a section that they share. */
final class ProcessContention implements Question {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final int PROCESSES = 4;
    private static final String UNFAIRNESS = "max/min per process";

    @Override
    public String id() {
        return "processes";
    }

    @Override
    public String text(StoreUnderTest store) {
        return PROCESSES + " processes of " + SectionChild.THREADS
                + " threads on one hot name; every pass is checked across the processes";
    }

    @Override
    public boolean suits(StoreUnderTest store) {
        return store.betweenProcesses();
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, Entrant entrant, RunningStore running) throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder()) {
            Path file = folder.path().resolve("section");
            SharedSection section = SharedSection.in(file);
            List<Process> children = new ArrayList<>();
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    children.add(SectionChild.start(store, entrant, running.url(), TTL, file, i));
                }
                return measure(run, children, section);
            } finally {
                children.forEach(Process::destroyForcibly);
            }
        }
    }

    private static Measurement measure(Run run, List<Process> children, SharedSection section) throws Exception {
        List<BufferedReader> outputs =
                children.stream().map(Process::inputReader).toList();
        for (BufferedReader output : outputs) {
            answer(output);
        }
        TimeUnit.NANOSECONDS.sleep(run.warmUp().toNanos());
        long[] before = ask(children, outputs);
        long start = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(run.measure().toNanos());
        long[] after = ask(children, outputs);
        long nanos = System.nanoTime() - start;
        for (Process child : children) {
            child.getOutputStream().close();
        }
        long[] last = new long[children.size()];
        for (int i = 0; i < last.length; i++) {
            last[i] = answer(outputs.get(i));
        }
        Measurement rate = Contention.measurement(before, after, nanos);
        return Measurement.of(Contention.RATE, rate.values().getOrDefault(Contention.RATE, 0.0))
                .with(UNFAIRNESS, rate.values().getOrDefault(Contention.UNFAIRNESS, 0.0))
                .with(section.violations(Arrays.stream(last).sum()));
    }

    /** Asks every process at once how often it had the lock so far. */
    private static long[] ask(List<Process> children, List<BufferedReader> outputs) throws Exception {
        for (Process child : children) {
            child.getOutputStream().write('\n');
            child.getOutputStream().flush();
        }
        long[] counts = new long[children.size()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = answer(outputs.get(i));
        }
        return counts;
    }

    private static long answer(BufferedReader output) throws Exception {
        String line;
        do {
            line = Objects.requireNonNull(output.readLine(), "a process ended");
        } while (!line.startsWith(SectionChild.PASSES));
        return Long.parseLong(line.substring(SectionChild.PASSES.length()));
    }
}
