package io.holdfast.guard.jdbc;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Tests with a {@link TestDatabase} as a parameter. {@code ./test} leaves out MariaDB and MySQL, whose downloads are
 * large; {@code ./test rest} runs those two only.
 */
@Retention(RetentionPolicy.RUNTIME)
@Tag("more")
@ExtendWith(PerDatabase.Choice.class)
@interface PerDatabase {
    /** Skips the databases that another part of the tests is for. */
    final class Choice implements InvocationInterceptor {
        @Override
        public void interceptTestTemplateMethod(
                Invocation<Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext context)
                throws Throwable {
            for (Object argument : test.getArguments()) {
                if (argument instanceof TestDatabase database) {
                    boolean large = database == TestDatabase.MARIADB || database == TestDatabase.MYSQL;
                    String part = System.getProperty("holdfast.tests", "all");
                    Assumptions.assumeTrue(
                            part.equals("all") || large == part.equals("rest"),
                            () -> database + " is for ./test " + (large ? "all" : "without all"));
                }
            }
            invocation.proceed();
        }
    }
}
