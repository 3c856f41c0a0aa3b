package io.holdfast.tck;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayNameGenerator;

/** Shows {@code [S1] stale holder cannot release the new holder} for a test method of that name and clause. */
public final class ClauseNames extends DisplayNameGenerator.Standard {
    /** Used by JUnit. */
    public ClauseNames() {}

    @Override
    public String generateDisplayNameForMethod(List<Class<?>> enclosing, Class<?> testClass, Method method) {
        Clause clause = method.getAnnotation(Clause.class);
        String sentence = method.getName()
                .replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
                .toLowerCase(Locale.ROOT);
        return clause == null ? sentence : "[" + clause.value() + "] " + sentence;
    }
}
