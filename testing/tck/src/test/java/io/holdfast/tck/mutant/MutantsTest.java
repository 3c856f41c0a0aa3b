package io.holdfast.tck.mutant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.holdfast.tck.Clause;
import io.holdfast.tck.RepeatWhenStarved;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Every mutant fails the clause it breaks, and few others: the contract finds mistakes and says which. */
@Tag("slow")
@Isolated("shortens how long the clauses wait for something to happen")
class MutantsTest {
    private static final String PATIENCE = "holdfast.tck.patienceMillis";

    @BeforeAll
    static void beImpatient() {
        System.setProperty(PATIENCE, "150");
    }

    @AfterAll
    static void bePatientAgain() {
        System.clearProperty(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource
    void failsTheClauseItBreaksAndFewOthers(Mutant mutant) {
        Map<String, String> failures = failures(mutant);

        Map<String, String> others = new TreeMap<>(failures);
        others.values().removeIf(clauses -> List.of(clauses.split(", ")).contains(mutant.breaks));
        assertThat(failures.size() - others.size())
                .as("failing tests of clause %s among %s", mutant.breaks, failures)
                .isPositive();
        assertThat(others).as("failing tests of other clauses").hasSizeLessThanOrEqualTo(mutant.others);
    }

    /** The failed tests of the contract over this mutant, each with its clauses. */
    private static Map<String, String> failures(Mutant mutant) {
        Map<String, String> failures = new ConcurrentSkipListMap<>();
        int[] passed = new int[1];
        MutantSubject.CURRENT.set(mutant);
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(
                                        mutant.breaks.equals("S11") ? PullMutantSubject.class : MutantSubject.class))
                                // A mutant fails because it is broken, on a busy machine too.
                                .configurationParameter(RepeatWhenStarved.PARAMETER, "1")
                                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                                .build(),
                        new TestExecutionListener() {
                            @Override
                            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                                if (test.isTest() && result.getStatus() == TestExecutionResult.Status.FAILED) {
                                    Method method = method(test);
                                    failures.put(method.getName(), clauses(method));
                                } else if (test.isTest()) {
                                    passed[0]++;
                                }
                            }
                        });
        assertThat(passed[0]).as("tests that ran and passed").isGreaterThan(50);
        return failures;
    }

    private static Method method(TestIdentifier test) {
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> ((MethodSource) source).getJavaMethod())
                .orElseThrow();
    }

    private static String clauses(Method method) {
        Clause clause = method.getAnnotation(Clause.class);
        assertThat(clause).as("the clause of %s", method).isNotNull();
        return clause == null ? "" : clause.value();
    }
}
