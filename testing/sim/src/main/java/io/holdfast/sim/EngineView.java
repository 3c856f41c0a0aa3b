package io.holdfast.sim;

import io.holdfast.Holdfast;
import java.lang.reflect.Field;
import java.util.Map;

/** Looks into a client of the engine for what it should have forgotten. By reflection: it is nobody else's business. */
final class EngineView {
    private static final Field QUEUES = field("queues");

    private EngineView() {}

    /** What is left, in words; empty if nothing is. */
    static String leftIn(Holdfast client) {
        try {
            Object queues = QUEUES.get(client);
            return queues instanceof Map<?, ?> map && map.isEmpty() ? "" : "local queues " + queues;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(String name) {
        try {
            Field field = Class.forName("io.holdfast.engine.HoldfastClient").getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
