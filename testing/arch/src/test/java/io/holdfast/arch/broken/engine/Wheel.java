package io.holdfast.arch.broken.engine;

/** Something internal that others reach for. */
public final class Wheel {}
