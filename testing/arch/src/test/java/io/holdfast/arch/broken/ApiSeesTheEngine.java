package io.holdfast.arch.broken;

import io.holdfast.arch.broken.engine.Wheel;

/** Breaks: the API sees itself only. */
public final class ApiSeesTheEngine {
    private ApiSeesTheEngine() {}

    /** Leaks an internal type. */
    public static Wheel wheel() {
        return new Wheel();
    }
}
