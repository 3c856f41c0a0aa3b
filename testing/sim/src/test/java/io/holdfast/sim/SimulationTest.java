package io.holdfast.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.sim.check.Rule;
import io.holdfast.sim.plan.Fault;
import io.holdfast.sim.plan.PlantedBug;
import io.holdfast.sim.plan.Situation;
import io.holdfast.sim.report.FaultTable;
import io.holdfast.sim.report.FoundViolation;
import io.holdfast.sim.report.Report;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The promises of the engine under seeded faults. {@code ./test} runs the first 1,000 seeds, {@code ./test rest} the
 * 10,000 after them. {@code -Dholdfast.sim.seeds=n} runs n seeds instead, {@code -Dholdfast.sim.from=s} begins at seed s.
 */
@ExtendWith(QuietLogs.class)
class SimulationTest {
    private static final int THREADS = 2;
    private static final String PART = System.getProperty("holdfast.tests", "all");
    private static final long SEEDS =
            Long.getLong("holdfast.sim.seeds", PART.equals("all") || PART.equals("rest") ? 10_000 : 1_000);
    private static final long FROM = Long.getLong("holdfast.sim.from", PART.equals("rest") ? 1_001 : 1);

    @Test
    @Tag("more")
    void everyPromiseHoldsWhateverHappens() throws InterruptedException {
        SeedBatch batch = SeedBatch.run(FROM, SEEDS, THREADS, PlantedBug.NOTHING);
        System.out.println(batch.seeds() + " seeds from " + FROM + ", " + batch.steps() + " steps, "
                + batch.table().all() + " faults; how often each fault met a client that was:");
        System.out.println(batch.table());
        FoundViolation found = batch.first();
        if (found != null) {
            throw new AssertionError(
                    found.getMessage() + System.lineSeparator()
                            + "to repeat it: ./test testing/sim -Dtest=SimulationTest -Dholdfast.sim.seeds=1"
                            + " -Dholdfast.sim.from=" + found.seed(),
                    found);
        }
        assertThat(batch.seeds()).isEqualTo(SEEDS);
        assertThat(batch.fewestSteps()).isGreaterThanOrEqualTo(Simulation.FEWEST_STEPS);
        assertThat(batch.fewestFaults()).isGreaterThanOrEqualTo(Simulation.FEWEST_FAULTS);
        if (SEEDS >= 10_000) {
            assertThat(emptyCells(batch.table())).isEmpty();
            assertThat(uncheckedRules(batch.table())).isEmpty();
        }
    }

    @Test
    void aSeedIsItsHistory() {
        for (long seed = FROM; seed < FROM + 40; seed++) {
            Report once = Simulation.run(seed);
            Report again = Simulation.run(seed);
            assertThat(again.hash()).as("trace of seed %d", seed).isEqualTo(once.hash());
            assertThat(again.steps()).as("steps of seed %d", seed).isEqualTo(once.steps());
        }
        assertThat(Simulation.run(FROM).hash())
                .isNotEqualTo(Simulation.run(FROM + 1).hash());
    }

    /** Every fault should have met every situation; there is no cell that does not matter. */
    private static List<String> emptyCells(FaultTable table) {
        List<String> empty = new ArrayList<>();
        for (Fault fault : Fault.values()) {
            for (Situation situation : Situation.values()) {
                if (table.met(fault, situation) == 0) {
                    empty.add(fault + " while " + situation);
                }
            }
        }
        return empty;
    }

    /** {@link TurnsTest} checks the turns of clients in a loop. */
    private static Set<Rule> uncheckedRules(FaultTable table) {
        Set<Rule> unchecked = EnumSet.noneOf(Rule.class);
        for (Rule rule : Rule.values()) {
            if (table.checked(rule) == 0 && rule != Rule.L12_TURNS) {
                unchecked.add(rule);
            }
        }
        return unchecked;
    }
}
