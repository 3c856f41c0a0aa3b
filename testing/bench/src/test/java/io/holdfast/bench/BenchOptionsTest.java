package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Workload;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("quick")
class BenchOptionsTest {
    private static final List<Workload> ALL =
            List.of(named("redis-own-name"), named("redis-own-names"), named("etcd-own-name"), named("hot-name"));

    @Test
    void withoutAnyEverythingIsChosen() {
        assertThat(chosen()).containsExactly("redis-own-name", "redis-own-names", "etcd-own-name", "hot-name");
    }

    @Test
    void anIdIsThatWorkloadEvenIfAnotherBeginsWithIt() {
        assertThat(chosen("--only", "redis-own-name")).containsExactly("redis-own-name");
    }

    @Test
    void theBeginningOfIdsIsAllOfThem() {
        assertThat(chosen("--only", "redis")).containsExactly("redis-own-name", "redis-own-names");
    }

    @Test
    void aPatternFitsTheWholeId() {
        assertThat(chosen("--only", "redis-*")).containsExactly("redis-own-name", "redis-own-names");
        assertThat(chosen("--only", "*-own-name")).containsExactly("redis-own-name", "etcd-own-name");
        assertThat(chosen("--only", "*own*s,hot-name")).containsExactly("redis-own-names", "hot-name");
    }

    @Test
    void whatFitsNothingIsAnErrorAndDotsAreDots() {
        for (String nothing : List.of("redis-own-nam.", "*-own", "", "own")) {
            assertThatThrownBy(() -> chosen("--only", nothing))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no workload '" + nothing + "'; --list shows them");
        }
    }

    private record WorkloadOf(String id) implements Workload {
        @Override
        public String question() {
            return "?";
        }

        @Override
        public List<Contestant> contestants() {
            return List.of();
        }
    }

    private static List<String> chosen(String... args) {
        return BenchOptions.parse(args).choose(ALL).stream().map(Workload::id).toList();
    }

    private static Workload named(String id) {
        return new WorkloadOf(id);
    }
}
