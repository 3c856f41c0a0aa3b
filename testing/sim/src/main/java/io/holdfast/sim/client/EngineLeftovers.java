package io.holdfast.sim.client;

import io.holdfast.Holdfast;
import java.lang.reflect.Method;
import java.util.List;

/** Looks into a client of the engine, by reflection, for what it should have forgotten. */
public final class EngineLeftovers {
    private static final Method ENV = environment();
    private static final Method BUSY = busyNames();

    private EngineLeftovers() {}

    /** What is left, in words; empty if nothing is. */
    public static String leftIn(Holdfast client) {
        try {
            Object busy = BUSY.invoke(ENV.invoke(client));
            return busy instanceof List<?> names && names.isEmpty() ? "" : "local queues of " + busy;
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

    private static Method busyNames() {
        try {
            Method method = ENV.getReturnType().getDeclaredMethod("busyNames");
            method.setAccessible(true);
            return method;
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
