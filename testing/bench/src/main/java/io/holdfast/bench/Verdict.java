package io.holdfast.bench;

import java.util.Locale;

/** What a measurement says about a bar. */
public enum Verdict {
    /** Every round reached it. */
    MET,
    /** No round reached it. */
    MISSED,
    /** Some rounds reached it and some did not: the range straddles the bar. */
    UNDECIDED,
    /** A contestant did something wrong while it was measured. Its speed says nothing. */
    BROKEN,
    /** A contestant was skipped or failed. */
    NOT_MEASURED;

    /** A sign beside the word, so that it is seen without colour. */
    String sign() {
        return switch (this) {
            case MET -> "✓";
            case MISSED -> "✗";
            case UNDECIDED -> "≈";
            case BROKEN -> "⚠";
            case NOT_MEASURED -> "–";
        };
    }

    /** The word for people and JSON. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
