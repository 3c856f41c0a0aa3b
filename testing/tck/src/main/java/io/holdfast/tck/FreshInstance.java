package io.holdfast.tck;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;

/**
 * Makes a second instance of a test class, because JUnit lets an extension run a test only once. The steps are those of
 * JUnit: constructor, temporary folders, {@code @BeforeEach}, the test, {@code @AfterEach}. Temporary
 * folders are empty folders inside those of the first instance, which JUnit deletes.
 */
final class FreshInstance {
    private final Object instance;
    private final int number;

    private FreshInstance(Object instance, int number) {
        this.instance = instance;
        this.number = number;
    }

    /** Whether the class of a test has a constructor without parameters, and is not inside another one. */
    static boolean possibleFor(Object first) {
        Class<?> type = first.getClass();
        if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
            return false;
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (constructor.getParameterCount() == 0) {
                return true;
            }
        }
        return false;
    }

    /** The instance for attempt {@code number}. */
    static FreshInstance of(Object first, int number) throws ReflectiveOperationException, IOException {
        Constructor<?> constructor = first.getClass().getDeclaredConstructor();
        constructor.setAccessible(true);
        FreshInstance fresh = new FreshInstance(constructor.newInstance(), number);
        for (Field field : AnnotationSupport.findAnnotatedFields(first.getClass(), TempDir.class)) {
            field.setAccessible(true);
            if (!Modifier.isStatic(field.getModifiers()) && field.get(first) instanceof Path folder) {
                field.set(fresh.instance, fresh.inside(folder));
            }
        }
        return fresh;
    }

    /** Runs what JUnit would run after a test. A failure there is not told: the test has failed already. */
    static void cleanUpQuietly(Object first) {
        for (Method method : cleanUps(first)) {
            try {
                call(first, method);
            } catch (Throwable second) {
                System.out.println("[starved] " + method.getName() + " failed too: " + second);
            }
        }
    }

    /** One attempt. */
    void run(Method test, List<Object> arguments) throws Throwable {
        Throwable failure = null;
        try {
            for (Method method : AnnotationSupport.findAnnotatedMethods(
                    instance.getClass(), BeforeEach.class, HierarchyTraversalMode.TOP_DOWN)) {
                call(instance, method);
            }
            call(instance, test, replaceFolders(test, arguments));
        } catch (Throwable thrown) {
            failure = thrown;
        }
        for (Method method : cleanUps(instance)) {
            try {
                call(instance, method);
            } catch (Throwable thrown) {
                if (failure == null) {
                    failure = thrown;
                } else {
                    failure.addSuppressed(thrown);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private Object[] replaceFolders(Method test, List<Object> arguments) throws IOException {
        List<Object> replaced = new ArrayList<>(arguments);
        Parameter[] parameters = test.getParameters();
        for (int i = 0; i < replaced.size(); i++) {
            AnnotatedElement parameter = parameters[i];
            if (parameter.isAnnotationPresent(TempDir.class) && replaced.get(i) instanceof Path folder) {
                replaced.set(i, inside(folder));
            }
        }
        return replaced.toArray();
    }

    private Path inside(Path folder) throws IOException {
        return Files.createTempDirectory(folder, "attempt-" + number + "-");
    }

    private static List<Method> cleanUps(Object instance) {
        List<Method> methods = new ArrayList<>(AnnotationSupport.findAnnotatedMethods(
                instance.getClass(), AfterEach.class, HierarchyTraversalMode.BOTTOM_UP));
        return Collections.unmodifiableList(methods);
    }

    private static void call(Object instance, Method method, Object... arguments) throws Throwable {
        method.setAccessible(true);
        try {
            method.invoke(instance, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
