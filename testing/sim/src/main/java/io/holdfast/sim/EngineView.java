package io.holdfast.sim;

import io.holdfast.Holdfast;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;

/** Looks into a client of the engine for what it should have forgotten. By reflection: it is nobody else's business. */
final class EngineView {
    private static final Method ENV = environment();
    private static final Field QUEUES = queues();

    private EngineView() {}

    /** What is left, in words; empty if nothing is. */
    static String leftIn(Holdfast client) {
        try {
            Object queues = QUEUES.get(ENV.invoke(client));
            return queues instanceof Map<?, ?> map && map.isEmpty() ? "" : "local queues " + queues;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the engine is not as it was", e);
        }
    }

    private static Method environment() {
        try {
            Method method = Class.forName("io.holdfast.engine.HoldfastClient").getDeclaredMethod("env");
            method.setAccessible(true);
            return method;
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static Field queues() {
        try {
            Field field = ENV.getReturnType().getDeclaredField("queues");
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
