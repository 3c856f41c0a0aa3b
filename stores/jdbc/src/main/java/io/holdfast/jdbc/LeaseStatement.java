package io.holdfast.jdbc;

/**
 * The statements of {@link LeaseRowStore}, with their parameters in order. Names are full names, with the namespace.
 * Times are {@link SqlDialect#leaseNanos}, tokens count from {@link SqlDialect#wallMicros}.
 */
enum LeaseStatement {
    /** Begins a transaction that excludes other writers. */
    BEGIN_WRITE,
    /** Begins a transaction that sees one state. */
    BEGIN_READ,
    /** Commits. */
    COMMIT,
    /** Rolls back. */
    ROLLBACK,

    /**
     * Takes the name for one exclusive holder if nothing is in the way: 1 name, 2 holder, 3 wall clock, 4 now, 5 TTL,
     * 6 lock-delay, 7 span, 8 client id, 9 label, 10 bucket. Returns holder, token, span of the row it wrote, or no row.
     */
    ACQUIRE_EXCLUSIVE,
    /**
     * Gives an exclusive lock back: 1 name, 2 holder, 3 now, 4 client id. Returns, if the holder had it or kept it
     * closed, the holder and the longest pause that another client noted (L21).
     */
    RELEASE_EXCLUSIVE,
    /**
     * Extends an exclusive lease by its own TTL: 1 name, 2 holder, 3 now. Returns the holder and that TTL if it had it.
     */
    RENEW_EXCLUSIVE,
    /** Draws tokens for a shared or permit holder: 1 name, 2 wall clock, 3 span, 4 bucket. Returns token, span. */
    DRAW_TOKENS,
    /**
     * Adds a shared or permit holder: 1 name, 2 holder, 3 mode, 4 until, 5 closed, 6 token, 7 span, 8 TTL, 9 client id,
     * 10 label.
     */
    ADD_SHARE,
    /** Gives a share or permit back: as {@link #RELEASE_EXCLUSIVE}. */
    RELEASE_SHARE,
    /** Extends a share or permit: as {@link #RENEW_EXCLUSIVE}. */
    RENEW_SHARE,

    /** The row of a name: 1 name. Returns what {@link LeaseRow#read} reads, then the last token. */
    READ_LOCK,
    /** The shares and permits of a name: 1 name. Returns what {@link LeaseRow#read} reads. */
    READ_SHARES,
    /** The last token of a bucket: 1 bucket. */
    READ_BUCKET,
    /** Names that are held or closed: 1 from (inclusive), 2 to (exclusive), 3 now, 4 a character they lack, 5 limit. */
    LIST_NAMES,

    /** What became of a holder: 1 holder. Returns the code of a {@link Tombstone}. */
    READ_TOMBSTONE,
    /** Remembers what became of a holder: 1 holder, 2 until, 3 the code of a {@link Tombstone}. */
    BURY,

    /** Marks the lease of a name: 1 name, 2 state, 3 until, 4 closed. */
    REVOKE_EXCLUSIVE,
    /** Marks a share or permit: 1 name, 2 holder, 3 state, 4 until, 5 closed. */
    REVOKE_SHARE,

    /** Notes that a client waits: 1 name, 2 client id, 3 until, 4 pause. */
    NOTE,

    /** Where the last sweep ended. */
    SWEEP_READ,
    /** The name that ends the next part: 1 after this name, 2 how many rows to skip. */
    SWEEP_END,
    /** Keeps the last tokens of the rows that {@link #SWEEP_LOCKS} deletes in their buckets. Same parameters. */
    SWEEP_FOLD,
    /** Deletes free rows: 1 after this name, 2 up to this name, 3 now, 4 the time of which traces are kept. */
    SWEEP_LOCKS,
    /** Deletes ended shares. Same parameters. */
    SWEEP_SHARES,
    /** Deletes old tombstones: 1 now, 2 how many at most. */
    SWEEP_TOMBSTONES,
    /** Deletes notes that are over: 1 now, 2 how many at most. */
    SWEEP_NOTES,
    /** Notes where this sweep ended: 1 name. */
    SWEEP_SAVE,

    /** The marks of a resource: 1 resource. Returns lock name, any token, exclusive token. */
    READ_MARKS,
    /** Writes them: 1 resource, 2 lock name, 3 any token, 4 exclusive token. */
    WRITE_MARKS
}
