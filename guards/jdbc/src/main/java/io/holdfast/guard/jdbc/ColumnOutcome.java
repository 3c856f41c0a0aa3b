package io.holdfast.guard.jdbc;

/** What a statement with a fence column did, unless its token was stale. */
public enum ColumnOutcome {
    /** The row was changed and carries the token now. */
    APPLIED,
    /** There is no such row. */
    NO_SUCH_ROW,
    /** The row is there and the token is not stale: another condition of the statement did not hold. */
    NOT_MATCHED
}
