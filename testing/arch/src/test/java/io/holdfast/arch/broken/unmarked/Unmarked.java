package io.holdfast.arch.broken.unmarked;

/** Breaks: packages are null-marked. */
public final class Unmarked {}
