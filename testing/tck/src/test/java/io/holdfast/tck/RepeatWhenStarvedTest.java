package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A failure on a starved machine is repeated, and no other failure is. */
class RepeatWhenStarvedTest {
    private static final Optional<String> STARVED = Optional.of("the process did not run");
    private static final Optional<String> RAN = Optional.empty();

    @Test
    void aFailureOfARunThatWasNotStarvedIsNotRepeated() {
        Throwable failure = failure("fails", List.of(RAN));

        assertThat(failure).hasMessage("attempt 1");
        assertThat(Sample.steps).containsExactly("open", "test", "close");
    }

    @Test
    void aFailureOfAStarvedRunIsRepeatedOnAFreshInstanceAndPasses() {
        passes("failsOnce", List.of(STARVED, RAN));

        assertThat(Sample.steps).containsExactly("open", "test", "close", "open", "test", "close");
        assertThat(Sample.instances).doesNotHaveDuplicates().hasSize(2);
        assertThat(Sample.stretches).containsExactly(1, 2);
        assertThat(Sample.told).hasSize(1);
        assertThat(Sample.told.get(0)).contains("Sample.failsOnce", "the process did not run", "attempt 2");
    }

    @Test
    void aFailureOfARepetitionThatWasNotStarvedCounts() {
        Throwable failure = failure("fails", List.of(STARVED, RAN));

        assertThat(failure).hasMessage("attempt 2");
        assertThat(failure.getSuppressed()).hasSize(1);
    }

    @Test
    void aTestThatIsAlwaysStarvedFailsAndSaysSo() {
        Throwable failure = failure("fails", List.of(STARVED, STARVED, STARVED, STARVED, STARVED));

        assertThat(failure)
                .hasMessageContaining("starved")
                .hasMessageContaining("5 attempts")
                .hasMessageContaining("in different ways");
        assertThat(failure.getCause()).hasMessage("attempt 5");
        assertThat(Sample.stretches).containsExactly(1, 2, 4, 4, 4);
    }

    @Test
    void aTestThatFailsInTheSameWayInEveryStarvedAttemptPointsToTheCode() {
        Throwable failure = failure("failsAlike", List.of(STARVED, STARVED, STARVED, STARVED, STARVED));

        assertThat(failure).hasMessageContaining("5 attempts").hasMessageContaining("in the same way");
    }

    @Test
    void aFailureToCleanUpAfterARepetitionIsAFailure() {
        Throwable failure = failure("failsOnceAndLeavesSomething", List.of(STARVED, RAN));

        assertThat(failure).hasMessage("something is left");
    }

    @Test
    void aSkippedTestIsNotRepeated() {
        passes("isSkipped", List.of(STARVED));

        assertThat(Sample.steps).containsExactly("open", "test", "close");
    }

    @Test
    void everyAttemptHasEmptyFolders() {
        passes("wantsEmptyFolders(java.nio.file.Path)", List.of(STARVED, RAN));
    }

    @Test
    void aStoppedProcessNoticesThatItWasStarved() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        StarvedProcess.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD) // where a JVM announces JAVA_TOOL_OPTIONS
                .start();
        try (var said = process.inputReader();
                var tell = process.outputWriter()) {
            assertThat(said.readLine()).isEqualTo("measuring");
            signal("STOP", process);
            // The time that it stands still is what is measured.
            TimeUnit.MILLISECONDS.sleep(400);
            signal("CONT", process);
            tell.write("go on\n");
            tell.flush();
            String verdict = said.readLine();
            assertThat(verdict).startsWith("this process did not run for ");
            assertThat(Integer.parseInt(verdict.replaceAll("\\D", ""))).isGreaterThanOrEqualTo(300);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void signal(String name, Process process) throws Exception {
        int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        assertThat(status).isZero();
    }

    private static Throwable failure(String test, List<Optional<String>> verdicts) {
        List<Throwable> failures = failures(test, verdicts);
        assertThat(failures).hasSize(1);
        return failures.get(0);
    }

    private static void passes(String test, List<Optional<String>> verdicts) {
        assertThat(failures(test, verdicts)).isEmpty();
    }

    /** How a test of {@link Sample} failed, if each of its attempts was starved or not as said. */
    private static List<Throwable> failures(String test, List<Optional<String>> next) {
        Sample.reset(next);
        List<Throwable> failures = new ArrayList<>();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectMethod(Sample.class.getName() + "#" + test))
                                // Only the extension that the sample names.
                                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "false")
                                .build(),
                        new TestExecutionListener() {
                            @Override
                            public void executionFinished(TestIdentifier id, TestExecutionResult result) {
                                if (id.isTest() && result.getStatus() == TestExecutionResult.Status.FAILED) {
                                    result.getThrowable().ifPresent(failures::add);
                                }
                            }
                        });
        assertThat(Sample.steps).isNotEmpty();
        assertThat(Sample.verdicts).as("unused verdicts").isEmpty();
        return failures;
    }

    /** Run by the launcher only: its name does not end with Test. */
    static class Sample {
        static final List<String> told = new ArrayList<>();

        @RegisterExtension
        static final RepeatWhenStarved REPEAT = new RepeatWhenStarved(Sample::next, Sample.told::add);

        static final Deque<Optional<String>> verdicts = new ArrayDeque<>();
        static final List<String> steps = new ArrayList<>();
        static final List<Integer> instances = new ArrayList<>();
        static final List<Integer> stretches = new ArrayList<>();
        private static boolean leftSomething;

        @TempDir
        Path folder = Path.of("");

        static void reset(List<Optional<String>> next) {
            verdicts.clear();
            verdicts.addAll(next);
            steps.clear();
            told.clear();
            instances.clear();
            stretches.clear();
            leftSomething = false;
        }

        private static Supplier<Optional<String>> next() {
            Optional<String> verdict = verdicts.remove();
            return () -> verdict;
        }

        @BeforeEach
        void open() {
            steps.add("open");
        }

        @AfterEach
        void close() {
            steps.add("close");
            if (leftSomething) {
                throw new AssertionError("something is left");
            }
        }

        @Test
        void fails() {
            run();
            throw new AssertionError("attempt " + instances.size());
        }

        @Test
        void failsAlike() {
            run();
            throw new AssertionError("always the same");
        }

        @Test
        void failsOnce() {
            run();
            assertThat(instances).hasSizeGreaterThan(1);
        }

        @Test
        void failsOnceAndLeavesSomething() {
            run();
            assertThat(instances).hasSizeGreaterThan(1);
            leftSomething = true;
        }

        @Test
        void isSkipped() {
            run();
            assumeTrue(false, "not here");
        }

        @Test
        void wantsEmptyFolders(@TempDir Path parameter) throws Exception {
            run();
            for (Path each : List.of(folder, parameter)) {
                Files.createFile(each.resolve("file"));
            }
            assertThat(instances).hasSizeGreaterThan(1);
        }

        private void run() {
            steps.add("test");
            instances.add(System.identityHashCode(this));
            stretches.add(RepeatWhenStarved.stretch());
        }
    }
}
