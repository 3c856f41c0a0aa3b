package io.holdfast.bench.question;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.run.BrokenRun;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Run;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every question with contention, asked of locks that do not work. A lock that lets two in and one whose token goes back are
 * reported as broken by each question, and a lock that works by none.
 */
@Tag("slow")
class BrokenLocksTest {
    private static final Run SHORT = new Run(Duration.ofMillis(50), Duration.ofMillis(300), true);

    @TempDir
    private Path folder = Path.of("");

    @TestFactory
    Stream<DynamicTest> brokenLocksAreReportedAsBroken() {
        return Stream.<Question>of(
                        new HotThreads(),
                        new HotProcesses(2),
                        new HandOff(Duration.ofMillis(1)),
                        new WaitersLoad(),
                        new DelayedMessages(),
                        new Recovery(),
                        new WaiterGrowth())
                .map(question -> DynamicTest.dynamicTest(question.id(), () -> isFoundOut(question)));
    }

    private void isFoundOut(Question question) {
        StoreWorkload workload = new StoreWorkload(
                "files-" + question.id(),
                new StoreUnderTest(
                        "files",
                        () -> new RunningStore(folder.toString(), List.of(), Map::of, null, () -> {}),
                        false,
                        true,
                        false,
                        Duration.ofSeconds(2),
                        new BrokenLibraries(),
                        List.of()),
                question,
                new BrokenLibraries().all(),
                List.of());
        List<String> complaints = BrokenRun.complaints(workload, SHORT);
        assertThat(complaints)
                .anyMatch(line -> line.startsWith("BROKEN " + BrokenLibraries.GRANTS_TWICE.title() + " in round 1"))
                .anyMatch(line -> line.startsWith("BROKEN " + BrokenLibraries.TOKEN_GOES_BACK.title() + " in round 1")
                        && line.contains("token"))
                .noneMatch(line -> line.startsWith("BROKEN " + BrokenLibraries.SOUND.title()))
                .noneMatch(line -> line.startsWith("FAILED"));
    }
}
