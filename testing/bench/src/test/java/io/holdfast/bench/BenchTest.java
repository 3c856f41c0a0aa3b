package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.run.Outcome;
import io.holdfast.bench.run.Rounds;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.SampleWorkload;
import io.holdfast.bench.workload.Workload;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output and exit status of the command, without forks. */
@Tag("slow")
class BenchTest {
    @TempDir
    private Path folder = Path.of("");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void theReportIsATableAndWhatWentWrong() throws Exception {
        assertThat(run(BenchTest::measured, "--rounds", "2")).isEqualTo(1);
        assertThat(text())
                .startsWith("1/1 sample: 5 contestants, 2 rounds\n")
                .contains("sample round 1 base: 100 ops/s")
                .contains("| sample | base | ops/s | 100 (100–100) | 1 |")
                .contains("| sample | half | ops/s | 50 (50–50) | 0.500 (0.500–0.500) × base |")
                .contains("sample: BROKEN wrong in round 2: two holders")
                .contains("sample: FAILED failing in round 1: out of luck");
    }

    @Test
    void aBrokenContestantIsNeverReportedAsFast() throws Exception {
        run(BenchTest::measured, "--rounds", "1");
        assertThat(text()).doesNotContain("1,000,000,000").contains("| sample | wrong | ops/s | broken |  |");
        assertThat(json()).contains("\"broken\": true");
    }

    @Test
    void theJsonHasTheMachineAndEveryNumberOfEveryRound() throws Exception {
        run(BenchTest::measured, "--rounds", "3");
        assertThat(json())
                .contains("\"date\": \"20")
                .contains("\"jdk\": \"")
                .contains("\"cores\": ")
                .contains("\"versions\": {")
                .contains("\"junit-jupiter")
                .contains("\"to\": \"base\"")
                .contains("\"failed\": \"out of luck\"");
        assertThat(json().split("\"ops/s\": 50\\b", -1)).as("three rounds").hasSize(4);
    }

    @Test
    void aSlowContestantIsNoFailureOfTheCommand() throws Exception {
        assertThat(run((workload, contestant, run) -> new Outcome.Measured(
                        Measurement.of("ops/s", contestant.name().equals("base") ? 100 : 50))))
                .isZero();
        assertThat(text()).contains("5 rounds");
    }

    @Test
    void aQuickRunSaysThatItsNumbersAreNotResults() throws Exception {
        run(
                (workload, contestant, run) -> new Outcome.Measured(Measurement.of("ops/s", run.quick() ? 1 : 2)),
                "--quick");
        assertThat(text()).contains("2 rounds").contains("not results").contains("base: 1 ops/s");
        assertThat(json()).contains("\"quick\": true");
    }

    @Test
    void workloadsAreListedAndChosenById() throws Exception {
        assertThat(run(BenchTest::measured, "--list")).isZero();
        assertThat(text()).contains("sample: does the harness work?").doesNotContain("round 1");
        assertThat(run(BenchTest::measured, "--only", "nothing")).isEqualTo(2);
        assertThat(text()).contains("no workload 'nothing'; --list shows them");
    }

    @Test
    void aWrongCommandLineIsExplained() throws Exception {
        for (List<String> args : List.of(
                List.of("--fast"),
                List.of("--rounds", "0"),
                List.of("--rounds", "x"),
                List.of("--out"),
                List.of("--only", ""),
                List.of("--only", "*x"),
                List.of("x"))) {
            out.reset();
            assertThat(run(BenchTest::measured, args.toArray(String[]::new))).isEqualTo(2);
            assertThat(text())
                    .as("one line")
                    .startsWith("holdfast bench: ")
                    .contains(args.get(args.size() - 1))
                    .hasLineCount(1);
        }
    }

    @Test
    void helpTeaches() throws Exception {
        assertThat(run(BenchTest::measured, "--help")).isZero();
        assertThat(text())
                .contains("usage:", "examples:", "BROKEN", "Exit status")
                .contains("--only", "--rounds", "--seconds", "--quick", "--out", "--list");
    }

    @Test
    void whereNothingCanBeWrittenIsSaidBeforeAnythingIsMeasured() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        for (List<String> args : List.of(
                List.of("--out", file.resolve("below").toString()),
                List.of("--out", folder.toString()),
                List.of("--out", "/proc/nowhere/bench.json"))) {
            out.reset();
            assertThat(run(BenchTest::measured, args.toArray(String[]::new))).isEqualTo(2);
            assertThat(text())
                    .startsWith("holdfast bench: " + args.get(0) + ": cannot write " + args.get(1))
                    .hasLineCount(1);
        }
    }

    private int run(Rounds.Measurer measurer, String... args) throws IOException {
        PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
        String[] all = Stream.concat(
                        Stream.of("--out", folder.resolve("sub/bench.json").toString()), Arrays.stream(args))
                .toArray(String[]::new);
        return new Bench(measurer, List.of(new SampleWorkload()), print, print).run(all);
    }

    private static Outcome measured(Workload workload, Contestant contestant, Run run) {
        return switch (contestant.name()) {
            case "base" -> new Outcome.Measured(Measurement.of("ops/s", 100));
            case "half" -> new Outcome.Measured(Measurement.of("ops/s", 50));
            case "wrong" -> new Outcome.Measured(Measurement.of("ops/s", 1e9).with(List.of("two holders")));
            default -> new Outcome.Failed("out of luck");
        };
    }

    private String text() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String json() throws IOException {
        return Files.readString(folder.resolve("sub/bench.json"));
    }
}
