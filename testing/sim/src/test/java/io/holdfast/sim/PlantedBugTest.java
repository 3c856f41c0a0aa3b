package io.holdfast.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.sim.check.Rule;
import io.holdfast.sim.plan.PlantedBug;
import io.holdfast.sim.report.FoundViolation;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A simulation that finds nothing proves nothing: each of these bugs must be found, and blamed on a fitting rule. */
@Tag("slow")
@ExtendWith(QuietLogs.class)
class PlantedBugTest {
    private static final int WITHIN = 1_000;

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NOTHING", "NO_NOTES"})
    void isFoundWithinAThousandSeedsAndReplayed(PlantedBug planted) throws InterruptedException {
        SeedBatch batch = SeedBatch.run(1, WITHIN, 1, planted);
        FoundViolation found = batch.first();
        assertThat(found).as("a violation within %d seeds", WITHIN).isNotNull();
        if (found == null) {
            return;
        }
        System.out.println(planted + " found by seed " + found.seed() + ": " + firstLine(found));
        assertThat(blamed(planted)).contains(found.rule());
        assertThat(found.getMessage()).contains("seed " + found.seed());
        assertThat(replay(found.seed(), planted)).isEqualTo(found.getMessage());
    }

    private static String replay(long seed, PlantedBug planted) {
        try {
            return "no violation: " + Simulation.run(seed, planted);
        } catch (FoundViolation again) {
            return String.valueOf(again.getMessage());
        }
    }

    private static Set<Rule> blamed(PlantedBug planted) {
        return switch (planted) {
            case NOTHING, NO_NOTES -> EnumSet.noneOf(Rule.class);
            case IGNORES_STAND_BACK -> EnumSet.of(Rule.L21_STAND_BACK);
            case RENEW_REVIVES -> EnumSet.of(Rule.U10_RENEW);
            case RELEASE_IGNORES_HOLDER -> EnumSet.of(Rule.S1_OWNER);
            case TOKENS_RESTART -> EnumSet.of(Rule.U6_AFTER_LOSS);
            case TOKENS_FOLLOW_THE_CLOCK -> EnumSet.of(Rule.P2_TOKENS);
            case NO_TOMBSTONES -> EnumSet.of(Rule.L1_TOMBSTONE);
            case NO_LOCK_DELAY -> EnumSet.of(Rule.U17_DELAY);
            case EXPIRES_EARLY -> EnumSet.of(Rule.S2_CONFLICT, Rule.U17_DELAY, Rule.P1_COVER, Rule.P6_RELEASE);
            case LOSES_WAITERS -> EnumSet.of(Rule.P3_DEATH);
            // A client that believes in a grant which the store has given away may also begin after the next holder.
            case VALIDITY_FROM_RECEIPT -> EnumSet.of(Rule.P1_COVER, Rule.P1_EXCLUSION, Rule.P2_LEASE_TOKENS);
            case SLOW_CLOCK -> EnumSet.of(Rule.P1_COVER, Rule.P1_EXCLUSION);
            case FORGETS_TIMERS ->
                EnumSet.of(
                        Rule.P3_DEATH, Rule.P4_PUSHED, Rule.P5_BOUNDED, Rule.KEEP_TRYING, Rule.L3_CONFIRM, Rule.QUIET);
            case NO_RELEASE_AFTER_UNKNOWN -> EnumSet.of(Rule.P6_RELEASE, Rule.P5_NOTHING_LEFT);
            case RENEWS_AFTER_RELEASE -> EnumSet.of(Rule.KEEP_SERIAL);
            case UNSEEN_SUSPEND -> EnumSet.of(Rule.U21_SUSPEND, Rule.P1_COVER);
            case GUARD_AT_WRITE_ONLY -> EnumSet.of(Rule.U1_LOST_UPDATE);
        };
    }

    private static String firstLine(FoundViolation found) {
        String message = String.valueOf(found.getMessage());
        return message.substring(0, Math.max(0, message.indexOf(System.lineSeparator())));
    }
}
