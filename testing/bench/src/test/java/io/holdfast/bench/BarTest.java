package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("quick")
class BarTest {
    private static final String METRIC = "ops/s";
    private static final Bar HALF = Bar.ratio("own", METRIC, Bar.Relation.AT_LEAST, 0.5);

    @Test
    void ratiosAreTakenWithinRoundsAndOnlyThenIsTheMedian() {
        // Medians of the raw numbers would say 300 / 400 = 0.75; round by round it is 0.5, 0.6 and 3.
        Bar.Result result = HALF.judge(rounds(500, 1000, 300, 500, 1200, 400), "base");
        assertThat(result.rounds()).containsExactly(0.5, 0.6, 3.0);
        assertThat(result.spread()).isEqualTo(new Spread(0.6, 0.5, 3));
    }

    @Test
    void aBarIsMetWhenEveryRoundReachesIt() {
        assertThat(HALF.judge(rounds(50, 100, 70, 100), "base").verdict()).isEqualTo(Verdict.MET);
    }

    @Test
    void aBarIsMissedWhenNoRoundReachesIt() {
        assertThat(HALF.judge(rounds(49, 100, 20, 100), "base").verdict()).isEqualTo(Verdict.MISSED);
    }

    @Test
    void aBarThatTheRangeStraddlesIsUndecidedWhateverTheMedianSays() {
        assertThat(HALF.judge(rounds(90, 100, 80, 100, 49, 100), "base").verdict())
                .isEqualTo(Verdict.UNDECIDED);
    }

    @Test
    void aDifferenceIsTakenWithinRounds() {
        Bar bar = Bar.difference("own", METRIC, Bar.Relation.AT_MOST, 20);
        Bar.Result result = bar.judge(rounds(110, 100, 220, 205), "base");
        assertThat(result.rounds()).containsExactly(10.0, 15.0);
        assertThat(result.verdict()).isEqualTo(Verdict.MET);
        assertThat(bar.judge(rounds(121, 100, 230, 205), "base").verdict()).isEqualTo(Verdict.MISSED);
    }

    @Test
    void aValueNeedsNoBaseline() {
        Bar bar = Bar.value("own", METRIC, Bar.Relation.AT_MOST, 1.5);
        List<Map<String, Outcome>> rounds = List.of(Map.of("own", new Outcome.Measured(Measurement.of(METRIC, 1.5))));
        assertThat(bar.judge(rounds, "").verdict()).isEqualTo(Verdict.MET);
    }

    @Test
    void belowIsNotAtMost() {
        List<Map<String, Outcome>> rounds = List.of(Map.of("own", new Outcome.Measured(Measurement.of(METRIC, 5))));
        assertThat(Bar.value("own", METRIC, Bar.Relation.BELOW, 5)
                        .judge(rounds, "")
                        .verdict())
                .isEqualTo(Verdict.MISSED);
        assertThat(Bar.value("own", METRIC, Bar.Relation.AT_MOST, 5)
                        .judge(rounds, "")
                        .verdict())
                .isEqualTo(Verdict.MET);
    }

    @Test
    void aViolationInOneRoundBreaksTheBarHoweverFastTheContestantWas() {
        List<Map<String, Outcome>> rounds = rounds(5000, 100, 5000, 100);
        rounds.get(1)
                .put("own", new Outcome.Measured(Measurement.of(METRIC, 5000).with(List.of("two holders"))));
        Bar.Result result = HALF.judge(rounds, "base");
        assertThat(result.verdict()).isEqualTo(Verdict.BROKEN);
        assertThat(result.reason()).isEqualTo("own in round 2: two holders");
    }

    @Test
    void aBrokenBaselineBreaksARatioButNotAValue() {
        List<Map<String, Outcome>> rounds = rounds(60, 100);
        rounds.get(0).put("base", new Outcome.Measured(Measurement.of(METRIC, 1).with(List.of("two holders"))));
        assertThat(HALF.judge(rounds, "base").verdict()).isEqualTo(Verdict.BROKEN);
        assertThat(Bar.value("own", METRIC, Bar.Relation.AT_LEAST, 50)
                        .judge(rounds, "base")
                        .verdict())
                .isEqualTo(Verdict.MET);
    }

    @Test
    void aFailedOrSkippedContestantIsNotMeasured() {
        List<Map<String, Outcome>> rounds = rounds(60, 100, 60, 100);
        rounds.get(0).put("own", new Outcome.Failed("exit status 1"));
        Bar.Result result = HALF.judge(rounds, "base");
        assertThat(result.verdict()).isEqualTo(Verdict.NOT_MEASURED);
        assertThat(result.reason()).contains("own in round 1").contains("exit status 1");
        rounds.get(0).put("own", new Outcome.Skipped("no launcher"));
        assertThat(HALF.judge(rounds, "base").reason()).contains("no launcher");
    }

    @Test
    void aMetricThatNobodyMeasuredIsNotMet() {
        Bar bar = Bar.value("own", "other", Bar.Relation.AT_MOST, 1);
        assertThat(bar.judge(rounds(60, 100), "base").verdict()).isEqualTo(Verdict.NOT_MEASURED);
        assertThat(bar.judge(List.of(), "base").verdict()).isEqualTo(Verdict.NOT_MEASURED);
    }

    @Test
    void aBaselineOfZeroGivesNoRatio() {
        assertThat(HALF.judge(rounds(60, 0), "base").verdict()).isEqualTo(Verdict.NOT_MEASURED);
    }

    @Test
    void theTextSaysWhatIsCompared() {
        assertThat(HALF.text("base")).isEqualTo("own: ops/s ≥ 0.5 × base");
        assertThat(Bar.difference("own", "ns", Bar.Relation.AT_MOST, 2000).text("store"))
                .isEqualTo("own: ns above store ≤ 2,000");
        assertThat(Bar.value("own", "heap", Bar.Relation.BELOW, 1024).text("")).isEqualTo("own: heap < 1,024");
    }

    @Test
    void theReportedRatioIsTheMedianOfTheRoundsToo() {
        WorkloadResult result = new WorkloadResult(
                new SampleWorkload(), new SampleWorkload().fullRun(), renamed(rounds(500, 1000, 300, 500, 1200, 400)));
        assertThat(result.ratios("half", METRIC).orElseThrow().median()).isCloseTo(0.6, within(1e-9));
        assertThat(result.values("half", METRIC).orElseThrow().median()).isEqualTo(500);
    }

    /** Pairs of own and base, a round each. */
    private static List<Map<String, Outcome>> rounds(double... numbers) {
        List<Map<String, Outcome>> rounds = new ArrayList<>();
        for (int i = 0; i < numbers.length; i += 2) {
            Map<String, Outcome> round = new LinkedHashMap<>();
            round.put("own", new Outcome.Measured(Measurement.of(METRIC, numbers[i])));
            round.put("base", new Outcome.Measured(Measurement.of(METRIC, numbers[i + 1])));
            rounds.add(round);
        }
        return rounds;
    }

    private static List<Map<String, Outcome>> renamed(List<Map<String, Outcome>> rounds) {
        rounds.forEach(round -> round.put("half", Objects.requireNonNull(round.get("own"))));
        return rounds;
    }
}
