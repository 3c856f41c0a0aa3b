package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("quick")
class ScheduleTest {
    private static final Run RUN = new Run(Duration.ofSeconds(2), Duration.ofSeconds(3), false);

    /** Five contestants of two rounds of six seconds. */
    private final Schedule.Planned first = new Schedule.Planned(new SampleWorkload(), RUN, 2);

    private final Schedule.Planned second = new Schedule.Planned(new SampleWorkload(), RUN, 20);
    private final Schedule schedule = new Schedule(List.of(first, second));

    @Test
    void theRestIsTheSumOfWhatTheWorkloadsExpect() {
        assertThat(schedule.left(first)).isEqualTo(Duration.ofMinutes(11));
        assertThat(schedule.left(second)).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void whatTookLongerMakesTheRestLongerButOneWorkloadIsNotBelievedAltogether() {
        schedule.done(first, Duration.ofMinutes(3));
        assertThat(schedule.left(second)).isBetween(Duration.ofSeconds(601), Duration.ofSeconds(1799));
    }

    @Test
    void whatKeptItsTimeChangesNothing() {
        schedule.done(first, Duration.ofMinutes(1));
        assertThat(schedule.left(second)).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void timesAreForPeople() {
        assertThat(Schedule.text(Duration.ofMillis(10))).isEqualTo("1 s");
        assertThat(Schedule.text(Duration.ofSeconds(119))).isEqualTo("119 s");
        assertThat(Schedule.text(Duration.ofSeconds(150))).isEqualTo("3 min");
    }
}
