package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.cli.output.Changes;
import io.holdfast.cli.output.DurationText;
import io.holdfast.cli.output.Json;
import io.holdfast.cli.output.Source;
import io.holdfast.cli.output.Table;
import io.holdfast.cli.supervise.StopTimes;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("quick")
class OutputTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "999, 999ms",
        "1000, 1s",
        "9540, 9.5s",
        "60000, 1m",
        "250000, 4m 10s",
        "11100000, 3h 5m",
        "187200000, 2d 4h"
    })
    void durationsAreSpokenInOneOrTwoUnits(long millis, String spoken) {
        assertThat(DurationText.of(Duration.ofMillis(millis))).isEqualTo(spoken);
    }

    @Test
    void columnsAreAlignedWhateverTheCellsContain() {
        Table table = new Table("A", "B", "C");
        table.row("wide cell", "x", "end");
        table.row("ü", "two\nlines", "end");
        assertThat(table.lines(false))
                .containsExactly("A          B          C", "wide cell  x          end", "ü          two lines  end");
        assertThat(table.lines(true).get(0)).startsWith("\u001b[1mA").endsWith("C\u001b[0m");
    }

    @Test
    void wideCharactersTakeTwoColumnsAndCombiningMarksNone() {
        Table table = new Table("A", "B");
        table.row("报表", "x");
        table.row("😀", "x");
        table.row("e\u0301", "x");
        assertThat(table.lines(false)).containsExactly("A     B", "报表  x", "😀    x", "e\u0301     x");
    }

    @Test
    void aChangeIsToldInWordsThatFitIt() {
        Source source = new Source("redis://cache:6379", "billing", true, true);
        Holder holder = new Holder(
                "c", "web:7 (ops: ./job)", Mode.EXCLUSIVE, 17, 1, Duration.ofSeconds(30), Duration.ofSeconds(29));
        LockStatus held = new LockStatus("x", List.of(holder), 0, Duration.ZERO, false, 17, Duration.ZERO);
        LockStatus revoked = new LockStatus("x", List.of(holder), 0, Duration.ZERO, true, 17, Duration.ZERO);
        LockStatus closed = new LockStatus("x", List.of(), 0, Duration.ofSeconds(5), false, 17, Duration.ZERO);
        Changes changes = new Changes(source, false);
        String in = ", in redis://cache:6379, namespace 'billing'";
        assertThat(changes.to(List.of(held)))
                .singleElement()
                .asString()
                .endsWith("granted     x  held by web:7 (ops: ./job), exclusive, token 17,"
                        + " since 1970-01-01T00:00:00Z, 29s left of 30s" + in);
        assertThat(changes.to(List.of(revoked)))
                .singleElement()
                .asString()
                .endsWith("29s left of 30s, not renewed any more" + in);
        assertThat(changes.to(List.of(closed)))
                .hasSize(2)
                .anyMatch(line ->
                        line.endsWith("ended       x  was held by web:7 (ops: ./job), exclusive, token 17" + in))
                .anyMatch(line -> line.endsWith("lock-delay  x  closed for 5s" + in));
        assertThat(changes.to(List.of()))
                .singleElement()
                .asString()
                .endsWith("opened      x  its lock-delay is over" + in);
    }

    @Test
    void jsonEscapesWhatJsonDoesNotAllow() {
        assertThat(new Json()
                        .with("a\"\\", "\u0000\n\u007f\ud800 ü😀")
                        .with("n", 1)
                        .with("t", true))
                .hasToString("{\"a\\\"\\\\\":\"\\u0000\\u000a\\u007f\\ud800 ü😀\",\"n\":1,\"t\":true}");
        assertThat(new Json()).hasToString("{}");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 10, 30, 600})
    void warningTermAndKillComeInThisOrderBeforeTheLeaseEnds(long seconds) {
        Duration ttl = Duration.ofSeconds(seconds);
        StopTimes times = StopTimes.of(ttl);
        assertThat(times.untilWarning(ttl)).isLessThan(times.untilTerm(ttl));
        assertThat(times.untilTerm(ttl)).isLessThan(times.untilKill(ttl));
        assertThat(times.untilKill(ttl)).isLessThan(ttl);
        // A renewal is sent after a third of the TTL, give or take a tenth: it must not be too late already.
        assertThat(times.untilWarning(ttl)).isGreaterThan(ttl.multipliedBy(37).dividedBy(100));
        assertThat(times.untilKill(Duration.ZERO)).isZero();
    }
}
