package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every workload on the class path, run for an instant: it works, and measures what its bars need. Never how fast. */
@Tag("slow")
class RegisteredWorkloadsTest {
    private static final Pattern SLOW_TO_START =
            Pattern.compile("(redlock|postgres|mariadb|mysql|zookeeper|etcd)-(?!waiters$).*");
    private static final Run INSTANT = new Run(Duration.ofMillis(10), Duration.ofMillis(50), true);

    private static List<Workload> registered() {
        return Workloads.all().stream()
                .filter(workload -> !(workload instanceof SampleWorkload))
                .toList();
    }

    @Test
    void idsAndContestantsAreUniqueAndBarsNameThem() {
        assertThat(registered().stream().map(Workload::id)).isNotEmpty().doesNotHaveDuplicates();
        for (Workload workload : registered()) {
            List<String> names =
                    workload.contestants().stream().map(Contestant::name).toList();
            assertThat(names).as(workload.id()).doesNotHaveDuplicates();
            assertThat(workload.bars())
                    .as(workload.id())
                    .allSatisfy(bar -> assertThat(names)
                            .contains(bar.contestant())
                            .containsAll(bar.comparedWith(workload.baseline()).stream()
                                    .toList()));
            assertThat(workload.contestants())
                    .as(workload.id() + " measures us")
                    .anyMatch(contestant -> contestant.kind() == Kind.HOLDFAST);
            assertThat(workload.baseline().isEmpty() || names.contains(workload.baseline()))
                    .as(workload.id() + " has its baseline")
                    .isTrue();
        }
    }

    @Test
    void everyStoreIsAskedEveryQuestionThatSuitsIt() {
        assertThat(registered().stream().map(Workload::id))
                .contains(
                        "memory-waiters",
                        "sqlite-waiters",
                        "redis-waiters",
                        "sqlite-hot-processes",
                        "sqlite-recovery",
                        "redis-delayed")
                .as("every store and mode that several processes share")
                .contains(
                        "sqlite-fairness",
                        "postgres-fairness",
                        "postgres-advisory-fairness",
                        "postgres-rowlock-fairness",
                        "mariadb-fairness",
                        "mysql-fairness",
                        "redis-fairness",
                        "redlock-fairness",
                        "zookeeper-fairness",
                        "etcd-fairness")
                .as("no other process sees the memory of this one, and a file has no messages")
                .doesNotContain("memory-recovery", "memory-hot-processes", "memory-fairness", "sqlite-delayed");
    }

    @Test
    void kindsAreToldFromNamesWhereNobodySaysMore() {
        assertThat(Kind.of("raw Lettuce")).isEqualTo(Kind.FLOOR);
        assertThat(Kind.of("holdfast")).isEqualTo(Kind.HOLDFAST);
        assertThat(Kind.of("Redisson RLock")).isEqualTo(Kind.PEER);
        assertThat(registered().stream()
                        .flatMap(workload -> workload.contestants().stream())
                        .filter(contestant -> contestant.kind() == Kind.PEER)
                        .map(Contestant::name))
                .doesNotContain("store", "sqlite store", "ReentrantLock(true)", "hello-world JVM", "memory", "sqlite");
    }

    @TestFactory
    Stream<DynamicTest> everyContestantMeasuresWhatTheBarsNeed() {
        return registered().stream()
                .flatMap(workload -> workload.contestants().stream()
                        .filter(contestant -> contestant.obstacle().isEmpty() && isTried(workload, contestant))
                        .map(contestant -> DynamicTest.dynamicTest(
                                workload.id() + " " + contestant.name(), () -> measures(workload, contestant))));
    }

    /**
     * Where every contestant starts JVMs of its own, only ours and those that a bar needs: the others are clients that are
     * tried in other workloads, and the build has not the time. Of servers that start slowly only one of the questions
     * that every store is asked: they are the same code as over Redis. MariaDB is the slowest; ours is tried elsewhere.
     */
    private static boolean isTried(Workload workload, Contestant contestant) {
        boolean compares = workload.bars().stream()
                .anyMatch(bar -> bar.comparedWith(workload.baseline()).isPresent());
        if (SLOW_TO_START.matcher(workload.id()).matches() && !compares) {
            return false;
        }
        if (workload.id().startsWith("mariadb")) {
            return contestant.kind() == Kind.PEER;
        }
        return !workload.id().matches(".*-(processes|recovery)")
                || contestant.kind() == Kind.HOLDFAST
                || workload.bars().stream().anyMatch(bar -> isNeeded(workload, bar, contestant));
    }

    private static boolean isNeeded(Workload workload, Bar bar, Contestant contestant) {
        return bar.contestant().equals(contestant.name())
                || bar.comparedWith(workload.baseline()).stream().anyMatch(contestant.name()::equals);
    }

    private static void measures(Workload workload, Contestant contestant) throws Exception {
        Measurement measurement = contestant.measure(INSTANT);
        assertThat(measurement.violations()).isEmpty();
        for (Bar bar : workload.bars()) {
            if (isNeeded(workload, bar, contestant)) {
                assertThat(measurement.values()).containsKey(bar.metric());
            }
        }
    }
}
