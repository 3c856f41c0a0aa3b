package io.holdfast.tck;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Repeats a failed test if the machine, not the code, was late: a lease of a second is lost when its process does not
 * run for a second, and that says nothing about the code.
 *
 * <p>A test that fails in a run that was not starved fails at once. After a starved run the test is repeated on a new
 * instance of its class with the TTLs of the suites ({@link ContractWorld#shortTtl()}) doubled, then doubled again.
 * After {@value #ATTEMPTS} starved failures the test fails and says that it was starved: a test that never ran properly
 * is not green. Every repetition is printed. The configuration parameter or system property {@value #PARAMETER} changes
 * the number of attempts; 1 repeats nothing.
 *
 * <p>The suites of this module use it. Other tests use it with {@code @ExtendWith}, or by JUnit's detection of
 * extensions.
 */
public final class RepeatWhenStarved implements InvocationInterceptor {
    /** Changes the number of attempts. */
    public static final String PARAMETER = "holdfast.tck.attempts";

    private static final int ATTEMPTS = 5;
    private static final int LONGEST_STRETCH = 4;
    private static final ThreadLocal<Integer> STRETCH = ThreadLocal.withInitial(() -> 1);
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(RepeatWhenStarved.class);

    /** What says whether an attempt was starved: asked for at the attempt's begin, and again after its failure. */
    private final Supplier<Supplier<Optional<String>>> measurement;

    private final Consumer<String> output;

    /** Used by JUnit. */
    public RepeatWhenStarved() {
        this(() -> Starvation.begin()::verdict, System.out::println);
    }

    RepeatWhenStarved(Supplier<Supplier<Optional<String>>> measurement, Consumer<String> output) {
        this.measurement = measurement;
        this.output = output;
    }

    /** By how much the running attempt stretches TTLs; 1 for a first attempt. */
    static int stretch() {
        return STRETCH.get();
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext context)
            throws Throwable {
        attempt(invocation, test, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext context)
            throws Throwable {
        attempt(invocation, test, context);
    }

    /** JUnit cleans up after the first attempt. If there was a second one, that has been done before it began. */
    @Override
    public void interceptAfterEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        if (context.getStore(NAMESPACE).get("cleaned up") == null) {
            invocation.proceed();
        } else {
            invocation.skip();
        }
    }

    private void attempt(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext context)
            throws Throwable {
        int attempts =
                context.getConfigurationParameter(PARAMETER, Integer::valueOf).orElse(ATTEMPTS);
        Supplier<Optional<String>> starved = measurement.get();
        try {
            invocation.proceed();
            return;
        } catch (TestAbortedException skipped) {
            throw skipped;
        } catch (Throwable failure) {
            Object first = test.getTarget().orElse(null);
            Optional<String> why = starved.get();
            if (why.isEmpty() || attempts < 2 || first == null || !FreshInstance.possibleFor(first)) {
                throw failure;
            }
            context.getStore(NAMESPACE).put("cleaned up", true);
            tell(test, 2, why.get(), failure);
            FreshInstance.cleanUpQuietly(first);
            repeat(test, first, attempts, new ArrayList<>(List.of(failure)));
        }
    }

    private void repeat(ReflectiveInvocationContext<Method> test, Object first, int attempts, List<Throwable> failures)
            throws Throwable {
        for (int number = 2; ; number++) {
            Supplier<Optional<String>> starved = measurement.get();
            STRETCH.set(Math.min(LONGEST_STRETCH, 1 << (number - 1)));
            try {
                FreshInstance.of(first, number).run(test.getExecutable(), test.getArguments());
                return;
            } catch (TestAbortedException skipped) {
                throw skipped;
            } catch (Throwable failure) {
                Optional<String> why = starved.get();
                failures.forEach(failure::addSuppressed);
                if (why.isEmpty()) {
                    throw failure;
                }
                if (number == attempts) {
                    failures.add(failure);
                    throw new AssertionError(
                            "starved: " + why.get() + ", in each of " + attempts + " attempts. " + meaning(failures),
                            failure);
                }
                failures.add(0, failure);
                tell(test, number + 1, why.get(), failure);
            } finally {
                STRETCH.remove();
            }
        }
    }

    /** What failures in starved attempts say: a defect fails in the same way each time, a late machine rarely does. */
    private static String meaning(List<Throwable> failures) {
        boolean same = failures.stream().map(String::valueOf).distinct().count() == 1;
        return same
                ? "Every attempt failed in the same way: look for the cause in the code first"
                : "The attempts failed in different ways: repeat the test when less runs beside it";
    }

    private void tell(ReflectiveInvocationContext<Method> test, int next, String why, Throwable failure) {
        output.accept("[starved] " + test.getTargetClass().getSimpleName() + "."
                + test.getExecutable().getName() + ": " + why + "; attempt " + next + " begins. It had failed with "
                + String.valueOf(failure).lines().findFirst().orElse(""));
    }
}
