package io.holdfast.bench.library;

/** The ids of questions in which some libraries cannot take part, see {@link LockLibrary#without}. */
public final class QuestionIds {
    public static final String NAMES = "names";
    public static final String HELD_GROWTH = "held-growth";
    public static final String RECOVERY = "recovery";
    public static final String RENEWALS = "renewals";
    public static final String WAITERS_GROWTH = "waiters-growth";

    private QuestionIds() {}
}
