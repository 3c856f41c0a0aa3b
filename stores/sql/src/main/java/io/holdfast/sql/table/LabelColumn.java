package io.holdfast.sql.table;

/** Columns that people read: client id and label. Nothing is decided by them. */
public final class LabelColumn {
    private static final int LONGEST = 400;

    private LabelColumn() {}

    /** Cut to the width of the column. */
    public static String shortened(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST);
    }
}
