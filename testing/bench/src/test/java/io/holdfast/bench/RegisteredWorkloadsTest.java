package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Kind;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.SampleWorkload;
import io.holdfast.bench.workload.Workload;
import io.holdfast.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every workload on the class path, run for an instant: it works. How fast it is no test asks. */
@Tag("slow")
class RegisteredWorkloadsTest {
    private static final Pattern SLOW_TO_START =
            Pattern.compile("(redlock|postgres|mariadb|mysql|zookeeper|etcd)-(?!waiters$).*");
    private static final Pattern COMPARED = Pattern.compile(".*-(own-names?|hot-name|hot-processes|hand-off-.*)");
    private static final Run INSTANT = new Run(Duration.ofMillis(10), Duration.ofMillis(50), true);

    private static List<Workload> registered() {
        return Workloads.all().stream()
                .filter(workload -> !(workload instanceof SampleWorkload))
                .toList();
    }

    @Test
    void idsAndContestantsAreUnique() {
        assertThat(registered().stream().map(Workload::id)).isNotEmpty().doesNotHaveDuplicates();
        for (Workload workload : registered()) {
            List<String> names =
                    workload.contestants().stream().map(Contestant::name).toList();
            assertThat(names).as(workload.id()).doesNotHaveDuplicates();
            assertThat(workload.contestants())
                    .as(workload.id() + " measures us")
                    .anyMatch(contestant -> contestant.kind() == Kind.HOLDFAST);
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
                        "redis-hand-off-5ms",
                        "sql-hand-off-50ms",
                        "zookeeper-hand-off-200ms",
                        "etcd-hand-off-5ms",
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
    void kindsAreToldFromNamesWhereAContestantDoesNotSayMore() {
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
    Stream<DynamicTest> everyContestantMeasuresSomethingAndIsSound() {
        return registered().stream()
                .flatMap(workload -> workload.contestants().stream()
                        .filter(contestant -> contestant.obstacle().isEmpty() && isTried(workload, contestant))
                        .map(contestant -> DynamicTest.dynamicTest(
                                workload.id() + " " + contestant.name(), () -> measures(contestant))));
    }

    /**
     * Where every contestant starts JVMs, only ours: the others are clients that are tried in other workloads, and the build
     * has not the time. Of servers that start slowly only one of the questions that every store is asked: they are the same
     * code as over Redis. MariaDB is the slowest; ours is tried elsewhere. A hand-off is tried with the shortest hold.
     */
    private static boolean isTried(Workload workload, Contestant contestant) {
        String id = workload.id();
        if (SLOW_TO_START.matcher(id).matches() && !COMPARED.matcher(id).matches()) {
            return false;
        }
        if (id.startsWith("mariadb")) {
            return contestant.kind() == Kind.PEER;
        }
        boolean manyProcesses = id.matches(".*-(processes|recovery)");
        return !id.matches(".*-(50|200)ms") && (!manyProcesses || contestant.kind() == Kind.HOLDFAST);
    }

    private static void measures(Contestant contestant) throws Exception {
        Measurement measurement = contestant.measure(INSTANT);
        assertThat(measurement.violations()).isEmpty();
        assertThat(measurement.values()).isNotEmpty();
    }
}
