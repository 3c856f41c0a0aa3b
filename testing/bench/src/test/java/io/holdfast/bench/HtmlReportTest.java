package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

@Tag("quick")
class HtmlReportTest {
    private static final Machine MACHINE = new Machine(
            Instant.parse("2026-11-15T12:00:00Z"),
            "17.0.15 & <vendor>",
            "Linux 6 amd64",
            "a \"processor\"",
            2,
            0.1,
            "abc1234",
            Map.of("redisson", "4.7.0", "some-library", "1.2.3"));
    private static final Run RUN = new Run(Duration.ofMillis(20), Duration.ofMillis(30), false);

    private final Contest contest = new Contest();

    @Test
    void thePageSaysWhereWhenAndWithWhat() {
        assertThat(page(contest.result(2)))
                .contains("2026-11-15T12:00:00Z · commit abc1234 · JDK 17.0.15 &amp; &lt;vendor&gt;")
                .contains("a &quot;processor&quot;")
                .contains("<p class=\"faint\">redisson 4.7.0</p>")
                .contains("some-library 1.2.3")
                .contains("is one &lt;b&gt; faster?")
                .contains("2 rounds, each 30 ms after 20 ms of warm-up")
                .doesNotContain("<vendor>", "<b>", "not results", "machine was busy");
        assertThat(HtmlReport.of(MACHINE, true, List.of())).contains("not results");
    }

    @Test
    void thePageNeedsNothingButItself() {
        String page = page(contest.result(2));
        assertThat(page).doesNotContain("<script", "<link", "<img", "@import", "url(");
        assertThat(Pattern.compile("(?i)https?://|src=|href=\"(?!#)")
                        .matcher(page)
                        .find())
                .isFalse();
        assertThat(page).contains("prefers-color-scheme: dark");
    }

    @Test
    void ratiosToTheFloorAndToTheBestPeerStandBesideTheNumber() {
        // raw 200, slow 50, quick 80, holdfast 160 and 168: 0.8 to 0.84 of the floor, 2 to 2.1 of the best peer.
        contest.with("raw", "pairs/s", 200).with("slow", "pairs/s", 50).with("quick", "pairs/s", 80);
        contest.with("holdfast", "pairs/s", 160, 168);
        assertThat(page(contest.result(2)))
                .contains("<td>holdfast</td><td>holdfast</td><td>164 (160–168)</td><td>0.820 (0.800–0.840)</td>"
                        + "<td>2.050 (2–2.100) × quick</td>")
                .contains(
                        "<td>quick</td><td>peer</td><td>80 (80–80)</td><td>0.400 (0.400–0.400)</td><td>★ best peer</td>")
                .contains("<td>raw</td><td>floor</td><td>200 (200–200)</td><td>baseline</td>");
    }

    @Test
    void theBestPeerOfATimeIsTheOneWithTheSmallest() {
        contest.with("slow", "p50 µs", 50).with("quick", "p50 µs", 80).with("holdfast", "p50 µs", 25);
        assertThat(page(contest.result(1))).contains("<td>0.500 (0.500–0.500) × slow</td>");
    }

    @Test
    void verdictsStandWithTheirRange() {
        contest.with("raw", "pairs/s", 200).with("holdfast", "pairs/s", 160, 60);
        assertThat(page(contest.result(2)))
                .contains("<span class=\"verdict undecided\">≈ undecided</span>")
                .contains("holdfast: pairs/s ≥ 0.5 × raw")
                .contains("0.550 (0.300–0.800)");
    }

    @Test
    void theBrokenHaveNoNumberAndNoBarAndAreNotTheBestPeer() {
        contest.with("raw", "pairs/s", 200).with("slow", "pairs/s", 50).with("holdfast", "pairs/s", 160);
        contest.with("quick", "pairs/s", 98_765).wrong("quick", "two holders");
        String page = page(contest.result(2));
        assertThat(page)
                .contains("BROKEN quick in round 1: two holders")
                .contains("broken: see below")
                .contains("× slow")
                .doesNotContain("98,765", "× quick");
        assertThat(page.split("<rect", -1))
                .as("a bar for each of the other three")
                .hasSize(1 + 3);
    }

    @Test
    void aSizeBehindTheSignMakesACurve() {
        for (int size : new int[] {1, 10, 100}) {
            contest.with("holdfast", Curve.metric("µs/pair", size), 10 + size, 20 + size);
            contest.with("quick", Curve.metric("µs/pair", size), 1000 * size);
        }
        WorkloadResult result = contest.result(2);
        List<Curve> curves = Curve.of(result);
        assertThat(curves).hasSize(1);
        assertThat(curves.get(0).metric()).isEqualTo("µs/pair");
        assertThat(curves.get(0).points().get("holdfast"))
                .containsEntry(1L, new Spread(16, 11, 21))
                .containsEntry(100L, new Spread(115, 110, 120));
        assertThat(page(result))
                .contains("µs/pair by size, logarithmic scale")
                .contains("<title>holdfast at 100: 115 (110–120)</title>");
        assertThat(Curve.of("mail @ home")).isEmpty();
    }

    @Test
    void everyChartIsWellFormed() throws Exception {
        for (int size : new int[] {1, 10}) {
            contest.with("raw", Curve.metric("µs/pair", size), 0).with("holdfast", Curve.metric("µs/pair", size), 5);
        }
        contest.with("raw", "pairs/s", 0).with("holdfast", "pairs/s", 0);
        String page = page(contest.result(1));
        var charts = Pattern.compile("(?s)<svg.*?</svg>").matcher(page);
        int count = 0;
        while (charts.find()) {
            Document svg = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(charts.group())));
            assertThat(svg.getDocumentElement().getTextContent()).doesNotContain("NaN");
            assertThat(charts.group()).doesNotContain("NaN", "Infinity");
            count++;
        }
        assertThat(count).as("a curve and a bar chart").isEqualTo(2);
    }

    private static String page(WorkloadResult result) {
        return HtmlReport.of(MACHINE, false, List.of(result));
    }

    /** A floor, two peers and ours, with numbers that a test gives them. */
    private static final class Contest implements Workload {
        private final Map<String, Map<String, double[]>> numbers = new LinkedHashMap<>();
        private final Map<String, List<String>> violations = new LinkedHashMap<>();

        /** The numbers of the rounds; the last one counts for all that follow. */
        Contest with(String contestant, String metric, double... values) {
            numbers.computeIfAbsent(contestant, missing -> new LinkedHashMap<>())
                    .put(metric, values);
            return this;
        }

        void wrong(String contestant, String violation) {
            violations.put(contestant, List.of(violation));
        }

        WorkloadResult result(int rounds) {
            return new WorkloadResult(
                    this, RUN, IntStream.range(0, rounds).mapToObj(this::round).toList());
        }

        private Map<String, Outcome> round(int index) {
            Map<String, Outcome> outcomes = new LinkedHashMap<>();
            numbers.forEach((contestant, metrics) -> {
                Map<String, Double> values = new LinkedHashMap<>();
                metrics.forEach((metric, all) -> values.put(metric, all[Math.min(index, all.length - 1)]));
                outcomes.put(
                        contestant,
                        new Outcome.Measured(new Measurement(values, violations.getOrDefault(contestant, List.of()))));
            });
            return outcomes;
        }

        @Override
        public String id() {
            return "contest";
        }

        @Override
        public String question() {
            return "is one <b> faster?";
        }

        @Override
        public List<Contestant> contestants() {
            return List.of("raw", "slow", "quick", "holdfast").stream()
                    .map(name -> SampleWorkload.contestant(name, () -> Measurement.of("pairs/s", 1)))
                    .toList();
        }

        @Override
        public String baseline() {
            return "raw";
        }

        @Override
        public List<Bar> bars() {
            return List.of(Bar.ratio("holdfast", "pairs/s", Bar.Relation.AT_LEAST, 0.5));
        }
    }
}
