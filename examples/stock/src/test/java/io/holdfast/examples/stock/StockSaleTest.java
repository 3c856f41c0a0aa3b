package io.holdfast.examples.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;

import io.holdfast.examples.stock.StockSale.Report;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example, small, with real processes that are really stopped. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class StockSaleTest {
    @Test
    void withoutAGuardItOversellsAndWithOneOrWithCompareAndSwapItNeverDoes() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Map<Way, Report> reports = StockSale.run(
                new SaleOptions(60, 4, 1, Optional.empty(), Optional.empty()),
                new PrintStream(printed, true, StandardCharsets.UTF_8));

        assertThat(oversold(reports, Way.NO_LOCK)).isPositive();
        assertThat(oversold(reports, Way.LOCK))
                .as("one holder was stopped for longer than its lease")
                .isPositive();
        assertThat(oversold(reports, Way.GUARD)).isZero();
        assertThat(reports.get(Way.GUARD))
                .extracting(Report::refused, INTEGER)
                .as("the late write of the stopped holder")
                .isPositive();
        assertThat(oversold(reports, Way.OPTIMISTIC)).isZero();
        assertThat(reports.get(Way.OPTIMISTIC))
                .extracting(Report::lostRounds, INTEGER)
                .as("the stopped seller lost at least its own")
                .isPositive();
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("OVERSOLD", "no lock", "lock + guard");
    }

    @Test
    void wrongOptionsAreErrors() {
        for (List<String> wrong : List.of(
                List.of("--items"), List.of("--unknown", "1"), List.of("--processes", "1"), List.of("--pauses", "8"))) {
            assertThatThrownBy(() -> SaleOptions.parse(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(SaleOptions.parse(List.of("--items", "50")).processes()).isEqualTo(8);
    }

    private static int oversold(Map<Way, Report> reports, Way way) {
        Report report = reports.get(way);
        assertThat(report).as(way.title()).isNotNull();
        return report == null ? -1 : report.oversold();
    }
}
