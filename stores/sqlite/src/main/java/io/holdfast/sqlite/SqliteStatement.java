package io.holdfast.sqlite;

import io.holdfast.spi.support.TokenRule;

/**
 * The statements of the embedded store, with their parameters in order. Names are full names, with the namespace. Times
 * are those of {@link SqliteConnection#leaseNanos}; tokens count from {@link SqliteConnection#wallMicros}.
 *
 * <p>{@code BEGIN IMMEDIATE} and every single writing statement take the file's only write lock before they read. So they
 * are decided one after the other in all processes.
 */
enum SqliteStatement {
    /** Begins a transaction that excludes other writers. */
    BEGIN_WRITE("BEGIN IMMEDIATE"),
    /** Begins a transaction that sees one state. */
    BEGIN_READ("BEGIN"),
    /** Commits. */
    COMMIT("COMMIT"),
    /** Rolls back. */
    ROLLBACK("ROLLBACK"),

    /**
     * Takes the name for one exclusive holder if nothing is in the way: 1 name, 2 holder, 3 wall clock, 4 now, 5 TTL,
     * 6 lock-delay, 7 span, 8 client id, 9 label, 10 bucket. Returns holder, token, span of the row it wrote, or no row.
     */
    ACQUIRE_EXCLUSIVE("INSERT INTO holdfast_lock" + Part.LOCK_COLUMNS
            + " SELECT ?1, ?10, first + got - 1, ?2, 0, ?4 + ?5, ?4 + ?5 + ?6, first, got, ?5, ?8, ?9"
            + " FROM (SELECT coalesce(max(last + 1, ?3), ?3 + " + TokenRule.START_AHEAD_MICROS + ") AS first, "
            + Part.EXCLUSIVE_SPAN + " AS got FROM (SELECT (SELECT last FROM holdfast_bucket WHERE id = ?10) AS last))"
            + " WHERE NOT EXISTS (SELECT 1 FROM holdfast_tombstone WHERE holder = ?2)"
            + " AND NOT EXISTS (SELECT 1 FROM holdfast_share WHERE name = ?1 AND closed > ?4)"
            + " ON CONFLICT (name) DO UPDATE SET last = max(last + 1, ?3) - 1 + " + Part.EXCLUSIVE_SPAN
            + ", holder = ?2, state = 0, until = ?4 + ?5, closed = ?4 + ?5 + ?6, token = max(last + 1, ?3), span = "
            + Part.EXCLUSIVE_SPAN + ", ttl = ?5, client = ?8, label = ?9"
            + " WHERE holder IS NOT ?2 AND closed <= ?4 RETURNING holder, token, span"),
    /**
     * Releases an exclusive lock: 1 name, 2 holder, 3 now, 4 client id. Returns, if the holder had it or kept it closed,
     * the holder and the longest pause that another client noted (L21).
     */
    RELEASE_EXCLUSIVE("UPDATE holdfast_lock SET state = 2, until = ?3, closed = 0"
            + " WHERE name = ?1 AND holder = ?2 AND closed > ?3 RETURNING holder, " + Part.LONGEST_PAUSE),
    /** Extends an exclusive lease by its own TTL: 1 name, 2 holder, 3 now. Returns holder and TTL if it had it. */
    RENEW_EXCLUSIVE("UPDATE holdfast_lock" + Part.RENEWED),
    /** Draws tokens for a shared or permit holder: 1 name, 2 wall clock, 3 span, 4 bucket. Returns token, span. */
    DRAW_TOKENS("INSERT INTO holdfast_lock" + Part.LOCK_COLUMNS
            + " SELECT ?1, ?4, first + got - 1, NULL, 2, 0, 0, first, got, 0, '', ''"
            + " FROM (SELECT coalesce(max(last + 1, ?2), ?2 + " + TokenRule.START_AHEAD_MICROS + ") AS first, "
            + Part.SHARE_SPAN + " AS got FROM (SELECT (SELECT last FROM holdfast_bucket WHERE id = ?4) AS last))"
            + " WHERE true ON CONFLICT (name) DO UPDATE SET last = max(last + 1, ?2) - 1 + " + Part.SHARE_SPAN
            + ", holder = NULL, state = 2, until = 0, closed = 0, token = max(last + 1, ?2), span = "
            + Part.SHARE_SPAN + ", ttl = 0, client = '', label = '' RETURNING token, span"),
    /**
     * Adds a shared or permit holder: 1 name, 2 holder, 3 mode, 4 until, 5 closed, 6 token, 7 span, 8 TTL, 9 client id,
     * 10 label.
     */
    ADD_SHARE("INSERT INTO holdfast_share (name, holder, mode, state, until, closed, token, span, ttl, client, label)"
            + " VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
    /** Releases a share or permit: as {@link #RELEASE_EXCLUSIVE}. */
    RELEASE_SHARE("DELETE FROM holdfast_share WHERE name = ?1 AND holder = ?2 AND closed > ?3 RETURNING holder, "
            + Part.LONGEST_PAUSE),
    /** Extends a share or permit: as {@link #RENEW_EXCLUSIVE}. */
    RENEW_SHARE("UPDATE holdfast_share" + Part.RENEWED),

    /** The row of a name: 1 name. Returns what {@link LeaseRows#read} reads, then the last token. */
    READ_LOCK("SELECT holder, 'x', state, until, closed, token, span, ttl, client, label, last"
            + " FROM holdfast_lock WHERE name = ?1"),
    /** The shares and permits of a name: 1 name. Returns what {@link LeaseRows#read} reads. */
    READ_SHARES("SELECT holder, mode, state, until, closed, token, span, ttl, client, label"
            + " FROM holdfast_share WHERE name = ?1"),
    /** The last token of a bucket: 1 bucket. */
    READ_BUCKET("SELECT last FROM holdfast_bucket WHERE id = ?1"),
    /** Names that are held or closed: 1 from (inclusive), 2 to (exclusive), 3 now, 4 a character they lack, 5 limit. */
    LIST_NAMES("SELECT name FROM (SELECT name FROM holdfast_lock" + Part.LISTED
            + " UNION SELECT name FROM holdfast_share" + Part.LISTED + ") ORDER BY name LIMIT ?5"),

    /** The tombstone of a holder: 1 holder. Returns its kind, see {@link TombstoneRows}. */
    READ_TOMBSTONE("SELECT kind FROM holdfast_tombstone WHERE holder = ?1"),
    /** Writes a tombstone: 1 holder, 2 until, 3 kind. */
    WRITE_TOMBSTONE("INSERT INTO holdfast_tombstone (holder, until, kind) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING"),

    /** Changes the exclusive lease of a name: 1 name, 2 state, 3 until, 4 closed. */
    REVOKE_EXCLUSIVE("UPDATE holdfast_lock SET state = ?2, until = ?3, closed = ?4 WHERE name = ?1"),
    /** Changes a share or permit: 1 name, 2 holder, 3 state, 4 until, 5 closed. */
    REVOKE_SHARE("UPDATE holdfast_share SET state = ?3, until = ?4, closed = ?5 WHERE name = ?1 AND holder = ?2"),

    /** Notes that a client waits: 1 name, 2 client id, 3 until, 4 pause. */
    NOTE("INSERT INTO holdfast_note (name, client, until, pause) VALUES (?1, ?2, ?3, ?4)"
            + " ON CONFLICT (name, client) DO UPDATE SET until = ?3, pause = ?4"),

    /** Where the last sweep ended. */
    SWEEP_READ("SELECT value FROM holdfast_meta WHERE key = 'swept'"),
    /** The name that ends the next part: 1 after this name, 2 how many rows to skip. */
    SWEEP_END("SELECT name FROM holdfast_lock WHERE name > ?1 ORDER BY name LIMIT 1 OFFSET ?2"),
    /** Keeps the last tokens of the rows that {@link #SWEEP_LOCKS} deletes in their buckets. Same parameters. */
    SWEEP_FOLD("INSERT INTO holdfast_bucket (id, last) SELECT bucket, max(last) FROM holdfast_lock" + Part.SWEPT
            + " AND (state = 2 OR until <= ?4) GROUP BY bucket"
            + " ON CONFLICT (id) DO UPDATE SET last = max(last, excluded.last)"),
    /** Deletes free rows: 1 after this name, 2 up to this name, 3 now, 4 the time up to which traces are deleted. */
    SWEEP_LOCKS("DELETE FROM holdfast_lock" + Part.SWEPT + " AND (state = 2 OR until <= ?4)"),
    /** Deletes ended shares. Same parameters. */
    SWEEP_SHARES("DELETE FROM holdfast_share" + Part.SWEPT + " AND until <= ?4"),
    /** Deletes old tombstones: 1 now, 2 how many at most. */
    SWEEP_TOMBSTONES("DELETE FROM holdfast_tombstone WHERE until <= ?1"
            + " AND id IN (SELECT id FROM holdfast_tombstone ORDER BY id LIMIT ?2)"),
    /** Deletes notes that are over: 1 now, 2 how many at most. */
    SWEEP_NOTES("DELETE FROM holdfast_note WHERE (name, client) IN"
            + " (SELECT name, client FROM holdfast_note WHERE until <= ?1 LIMIT ?2)"),
    /** Notes where this sweep ended: 1 name. */
    SWEEP_SAVE("UPDATE holdfast_meta SET value = ?1 WHERE key = 'swept'"),

    /** The marks of a resource: 1 resource. Returns lock name, any token, exclusive token. */
    READ_MARKS("SELECT lock_name, any_token, exclusive_token FROM holdfast_fence WHERE resource = ?1"),
    /** Writes them: 1 resource, 2 lock name, 3 any token, 4 exclusive token. */
    WRITE_MARKS("INSERT INTO holdfast_fence (resource, lock_name, any_token, exclusive_token) VALUES (?1, ?2, ?3, ?4)"
            + " ON CONFLICT (resource) DO UPDATE SET any_token = ?3, exclusive_token = ?4");

    /** What several statements have in common. All of it is constant, so that a start of the command computes nothing. */
    private static final class Part {
        static final String LOCK_COLUMNS =
                " (name, bucket, last, holder, state, until, closed, token, span, ttl, client, label)";

        /** How many tokens, from a column {@code last}, with 3 wall clock and 7 wanted span. */
        static final String EXCLUSIVE_SPAN =
                "CASE WHEN last - ?3 <= " + TokenRule.SPAN_LEAD_MICROS + " THEN ?7 ELSE 1 END";

        /** How many tokens, from a column {@code last}, with 2 wall clock and 3 wanted span. */
        static final String SHARE_SPAN = "CASE WHEN last - ?2 <= " + TokenRule.SPAN_LEAD_MICROS + " THEN ?3 ELSE 1 END";

        /** The longest pause that other clients noted, with 1 name, 3 now, 4 client id. */
        static final String LONGEST_PAUSE = "(SELECT coalesce(max(pause), 0) FROM holdfast_note AS n"
                + " WHERE n.name = ?1 AND n.client <> ?4 AND n.until > ?3)";

        static final String RENEWED = " SET until = ?3 + ttl, closed = ?3 + ttl + (closed - until)"
                + " WHERE name = ?1 AND holder = ?2 AND state = 0 AND until > ?3 RETURNING holder, ttl";

        static final String LISTED = " WHERE name >= ?1 AND name < ?2 AND closed > ?3 AND instr(name, ?4) = 0";

        static final String SWEPT = " WHERE name > ?1 AND name <= ?2 AND closed <= ?3";
    }

    /** What the database is given, its parameters written {@code ?1} to {@code ?n}. */
    final String text;

    SqliteStatement(String text) {
        this.text = text;
    }
}
