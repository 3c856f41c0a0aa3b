package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    @Test
    void forTheBarsOnlyThoseAreMeasuredWhoHaveOneAndWhomItComparesThemWith() {
        List<Workload> own = List.of(new WorkloadOf("own", List.of("raw", "peer", "holdfast", "other", "third")));

        Workload all = BenchOptions.parse().choose(own).get(0);
        Workload barred = BenchOptions.parse("--bars").choose(own).get(0);

        assertThat(names(all)).containsExactly("raw", "peer", "holdfast", "other", "third");
        assertThat(names(barred)).containsExactly("raw", "holdfast", "third");
        assertThat(barred.bars()).isEqualTo(all.bars());
        assertThat(barred.id()).isEqualTo(all.id());
    }

    private static List<String> names(Workload workload) {
        return workload.contestants().stream().map(Contestant::name).toList();
    }

    /** One with a bar against its baseline and one against another. */
    private record WorkloadOf(String id, List<String> contestantNames) implements Workload {
        @Override
        public String question() {
            return "?";
        }

        @Override
        public List<Contestant> contestants() {
            return contestantNames.stream()
                    .<Contestant>map(SampleContestant::new)
                    .toList();
        }

        @Override
        public String baseline() {
            return "raw";
        }

        @Override
        public List<Bar> bars() {
            Bar bar = Bar.ratio("holdfast", "pairs/s", Bar.Relation.AT_LEAST, 0.9);
            return List.of(bar, bar.against("third"));
        }
    }

    private record SampleContestant(String name) implements Contestant {
        @Override
        public Measurement measure(Run run) {
            throw new UnsupportedOperationException("nobody measures it");
        }
    }

    private static List<String> chosen(String... args) {
        return BenchOptions.parse(args).choose(ALL).stream().map(Workload::id).toList();
    }

    private static Workload named(String id) {
        return new WorkloadOf(id, List.of());
    }
}
