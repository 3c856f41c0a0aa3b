package io.holdfast.bench.workload;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Contestants that behave as the harness must expect: well, wrongly, not at all, for ever. Runs in forked JVMs too. */
public final class SampleWorkload implements Workload {
    public static final String METRIC = "ops/s";

    /** For {@link java.util.ServiceLoader}. */
    public SampleWorkload() {}

    @Override
    public String id() {
        return "sample";
    }

    @Override
    public String question() {
        return "does the harness work?";
    }

    @Override
    public List<Contestant> contestants() {
        return List.of(
                contestant("base", () -> Measurement.of(METRIC, 100).with("process", processId())),
                contestant("half", () -> Measurement.of(METRIC, 50).with("process", processId())),
                contestant("wrong", () -> Measurement.of(METRIC, 1e9).with(List.of("two\tholders\nat a time"))),
                contestant("failing", () -> {
                    throw new IllegalStateException("out of luck");
                }),
                contestant("endless", () -> {
                    Thread.currentThread().join();
                    return Measurement.of(METRIC, 1);
                }));
    }

    @Override
    public Run fullRun() {
        return new Run(Duration.ZERO, Duration.ofMillis(1), false);
    }

    private static double processId() {
        return ProcessHandle.current().pid();
    }

    public interface Body {
        Measurement measure() throws Exception;
    }

    public static Contestant contestant(String name, Body body) {
        return new Contestant() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Measurement measure(Run run) throws Exception {
                return body.measure();
            }

            @Override
            public List<String> jvmArguments() {
                return List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1");
            }

            @Override
            public Optional<String> obstacle() {
                return name.equals("absent") ? Optional.of("not installed") : Optional.empty();
            }
        };
    }
}
