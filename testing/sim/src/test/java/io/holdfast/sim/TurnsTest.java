package io.holdfast.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.sim.check.Rule;
import io.holdfast.sim.plan.PlantedBug;
import io.holdfast.sim.report.FoundViolation;
import io.holdfast.sim.report.Report;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * L12, L21: four clients on a store without a queue, each in a loop that takes the lock for 50 ms, releases it and asks
 * again at once. In 20 s no client waits longer than 2 s, and none has more than twice the turns of another.
 */
@ExtendWith(QuietLogs.class)
class TurnsTest {
    private static final int SEEDS = 100;

    @Test
    void noClientStarves() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Report report = Simulation.loop(seed, PlantedBug.NOTHING);
            assertThat(report.table().checked(Rule.L12_TURNS))
                    .as("seed %d", seed)
                    .isPositive();
        }
    }

    @Test
    void clientsStarveIfTheStoreNotesNobodyWhoWaits() {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= SEEDS; seed++) {
                        Simulation.loop(seed, PlantedBug.NO_NOTES);
                    }
                })
                .isInstanceOfSatisfying(
                        FoundViolation.class, found -> assertThat(found.rule()).isEqualTo(Rule.L12_TURNS));
    }
}
