package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

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

/** The command as a user sees it, without forks. */
@Tag("slow")
class BenchTest {
    @TempDir
    private Path folder = Path.of("");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void theReportHasATableTheBarsAndWhatWentWrong() throws Exception {
        assertThat(run(BenchTest::measured, "--rounds", "2")).isEqualTo(1);
        assertThat(text())
                .contains("sample round 1 base: 100 ops/s")
                .contains("sample: does the harness work?")
                .containsPattern("half +ops/s +50 \\(50–50\\) +0.500 \\(0.500–0.500\\)")
                .contains("MET           half: ops/s ≥ 0.4 × base: 0.500 (0.500–0.500)")
                .contains("MISSED        half: ops/s ≥ 0.6 × base: 0.500 (0.500–0.500)")
                .contains("BROKEN        wrong: ops/s ≥ 0.6 × base (wrong in round 1: two holders)")
                .contains("NOT MEASURED  failing: ops/s ≥ 0.6 × base (failing in round 1: failed: out of luck)")
                .contains("BROKEN wrong in round 2: two holders")
                .contains("FAILED failing in round 1: out of luck");
    }

    @Test
    void aBrokenContestantIsNeverReportedAsFast() throws Exception {
        run(BenchTest::measured, "--rounds", "1");
        assertThat(text().lines().filter(line -> line.contains("BROKEN"))).isNotEmpty();
        assertThat(text()).doesNotContain("1,000,000,000").containsPattern("wrong +ops/s +broken");
        assertThat(json()).contains("\"verdict\": \"broken\"").contains("\"broken\": true");
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
                .contains("\"verdict\": \"met\"")
                .contains("\"verdict\": \"missed\"")
                .contains("\"verdict\": \"not measured\"")
                .contains("\"failed\": \"out of luck\"");
        assertThat(json().split("\"ops/s\": 50\\b", -1)).as("three rounds").hasSize(4);
    }

    @Test
    void missedBarsAreNoFailureOfTheCommand() throws Exception {
        assertThat(run((workload, contestant, run) -> new Outcome.Measured(
                        Measurement.of("ops/s", contestant.name().equals("base") ? 100 : 50))))
                .isZero();
        assertThat(text()).contains("MISSED").contains("5 rounds");
    }

    @Test
    void aQuickRunSaysThatItDecidesNothing() throws Exception {
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
    void theBestPeerIsAlwaysNamedAndABrokenOneIsNotIt() throws Exception {
        run(BenchTest::measured, "--rounds", "2");
        // "wrong" is faster than everybody and "half" slower than the baseline, which is a peer as well.
        assertThat(text()).contains("best peer in ops/s: base 100 (100–100)\n");
        assertThat(json()).containsPattern("\"bestPeers\": \\{\\s+\"ops/s\": \\{\\s+\"name\": \"base\"");
    }

    @Test
    void aReportIsAFolderWithThePageAndTheNumbers() throws Exception {
        Path report = folder.resolve("a/report");
        run(BenchTest::measured, "--rounds", "1", "--report", report.toString());
        assertThat(report.resolve("bench.json")).hasContent(json());
        assertThat(report.resolve("index.html"))
                .content()
                .startsWith("<!DOCTYPE html>")
                .endsWith("</html>\n");
        assertThat(text()).contains("page: " + report.resolve("index.html"));
    }

    @Test
    void aWrongCommandLineIsExplained() throws Exception {
        for (List<String> args : List.of(
                List.of("--fast"),
                List.of("--rounds", "0"),
                List.of("--rounds", "x"),
                List.of("--out"),
                List.of("--report"),
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
                .contains("usage:", "examples:", "MET", "UNDECIDED", "BROKEN", "Exit status")
                .contains("--only", "--rounds", "--seconds", "--quick", "--report", "--out", "--list");
    }

    @Test
    void whereNothingCanBeWrittenIsSaidBeforeAnythingIsMeasured() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        for (List<String> args : List.of(
                List.of("--report", file.toString()),
                List.of("--report", file.resolve("below").toString()),
                List.of("--out", folder.toString()),
                List.of("--report", "/proc/nowhere"))) {
            out.reset();
            assertThat(run(BenchTest::measured, args.toArray(String[]::new))).isEqualTo(2);
            assertThat(text())
                    .startsWith("holdfast bench: " + args.get(0) + ": cannot write " + args.get(1))
                    .hasLineCount(1);
        }
    }

    @Test
    void theTimeLeftIsToldBeforeEachWorkload() throws Exception {
        run(BenchTest::measured, "--rounds", "3");
        // Five contestants, three rounds, a second each.
        assertThat(text()).startsWith("1/1 sample: 5 contestants, 3 rounds; about 15 s left\n");
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
