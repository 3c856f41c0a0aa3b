package io.holdfast.jdbc;

/**
 * The statements in SQLite's SQL.
 *
 * <p>Tokens (U6): a grant takes {@code span} numbers from {@code max(last + 1, wall clock)} on, only one while {@code
 * last} is more than 100 ms ahead of the clock, and a name without a {@code last} starts 200 ms ahead. {@code last}
 * stands in the row of the name; when a free row is swept it is kept in the name's bucket, where the name's next row
 * finds it, so the file grows neither with the names ever locked nor do tokens go back.
 */
final class SqliteStatements {
    private static final String EXCLUSIVE_TOKENS = newRowTokens("?3", "?7", "?10");
    private static final String SHARE_TOKENS = newRowTokens("?2", "?3", "?4");

    private static final String ACQUIRE_EXCLUSIVE = "INSERT INTO holdfast_lock"
            + " (name, bucket, last, holder, state, until, closed, token, span, ttl, client, label)"
            + " SELECT ?1, ?10, first + got - 1, ?2, 0, ?4 + ?5, ?4 + ?5 + ?6, first, got, ?5, ?8, ?9 FROM "
            + EXCLUSIVE_TOKENS
            + " WHERE NOT EXISTS (SELECT 1 FROM holdfast_tombstone WHERE holder = ?2)"
            + " AND NOT EXISTS (SELECT 1 FROM holdfast_share WHERE name = ?1 AND closed > ?4)"
            + " ON CONFLICT (name) DO UPDATE SET"
            + " last = max(last + 1, ?3) - 1 + " + got("?3", "?7") + ", holder = ?2, state = 0,"
            + " until = ?4 + ?5, closed = ?4 + ?5 + ?6, token = max(last + 1, ?3), span = " + got("?3", "?7")
            + ", ttl = ?5, client = ?8, label = ?9"
            + " WHERE holder IS NOT ?2 AND closed <= ?4"
            + " RETURNING holder, token, span";

    private static final String DRAW_TOKENS = "INSERT INTO holdfast_lock"
            + " (name, bucket, last, holder, state, until, closed, token, span, ttl, client, label)"
            + " SELECT ?1, ?4, first + got - 1, NULL, 2, 0, 0, first, got, 0, '', '' FROM "
            + SHARE_TOKENS
            + " WHERE true ON CONFLICT (name) DO UPDATE SET"
            + " last = max(last + 1, ?2) - 1 + " + got("?2", "?3") + ", holder = NULL, state = 2,"
            + " until = 0, closed = 0, token = max(last + 1, ?2), span = " + got("?2", "?3")
            + ", ttl = 0, client = '', label = ''"
            + " RETURNING token, span";

    /** The longest pause of the others, for a statement whose parameters are 1 name, 3 now, 4 client id. */
    private static final String LONGEST_PAUSE = "(SELECT coalesce(max(pause), 0) FROM holdfast_note AS n"
            + " WHERE n.name = ?1 AND n.client <> ?4 AND n.until > ?3)";

    private static final String SWEPT = " WHERE name > ?1 AND name <= ?2 AND closed <= ?3";

    private SqliteStatements() {}

    static String text(LeaseStatement statement) {
        return switch (statement) {
            case BEGIN_WRITE -> "BEGIN IMMEDIATE";
            case BEGIN_READ -> "BEGIN";
            case COMMIT -> "COMMIT";
            case ROLLBACK -> "ROLLBACK";
            case ACQUIRE_EXCLUSIVE -> ACQUIRE_EXCLUSIVE;
            case RELEASE_EXCLUSIVE ->
                "UPDATE holdfast_lock SET state = 2, until = ?3, closed = 0"
                        + " WHERE name = ?1 AND holder = ?2 AND closed > ?3 RETURNING holder, "
                        + LONGEST_PAUSE;
            case RENEW_EXCLUSIVE -> renew("holdfast_lock");
            case DRAW_TOKENS -> DRAW_TOKENS;
            case ADD_SHARE ->
                "INSERT INTO holdfast_share"
                        + " (name, holder, mode, state, until, closed, token, span, ttl, client, label)"
                        + " VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
            case RELEASE_SHARE ->
                "DELETE FROM holdfast_share WHERE name = ?1 AND holder = ?2 AND closed > ?3 RETURNING holder, "
                        + LONGEST_PAUSE;
            case RENEW_SHARE -> renew("holdfast_share");
            case READ_LOCK -> "SELECT " + columns("'x'") + ", last FROM holdfast_lock WHERE name = ?1";
            case READ_SHARES -> "SELECT " + columns("mode") + " FROM holdfast_share WHERE name = ?1";
            case READ_BUCKET -> "SELECT last FROM holdfast_bucket WHERE id = ?1";
            case LIST_NAMES ->
                "SELECT name FROM (" + names("holdfast_lock") + " UNION " + names("holdfast_share")
                        + ") ORDER BY name LIMIT ?5";
            case READ_TOMBSTONE -> "SELECT kind FROM holdfast_tombstone WHERE holder = ?1";
            case BURY ->
                "INSERT INTO holdfast_tombstone (holder, until, kind) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
            case REVOKE_EXCLUSIVE -> "UPDATE holdfast_lock SET state = ?2, until = ?3, closed = ?4 WHERE name = ?1";
            case REVOKE_SHARE ->
                "UPDATE holdfast_share SET state = ?3, until = ?4, closed = ?5 WHERE name = ?1 AND holder = ?2";
            case SWEEP_READ -> "SELECT value FROM holdfast_meta WHERE key = 'swept'";
            case SWEEP_END -> "SELECT name FROM holdfast_lock WHERE name > ?1 ORDER BY name LIMIT 1 OFFSET ?2";
            case SWEEP_FOLD ->
                "INSERT INTO holdfast_bucket (id, last) SELECT bucket, max(last) FROM holdfast_lock" + SWEPT
                        + " AND (state = 2 OR until <= ?4) GROUP BY bucket"
                        + " ON CONFLICT (id) DO UPDATE SET last = max(last, excluded.last)";
            case SWEEP_LOCKS -> "DELETE FROM holdfast_lock" + SWEPT + " AND (state = 2 OR until <= ?4)";
            case SWEEP_SHARES -> "DELETE FROM holdfast_share" + SWEPT + " AND until <= ?4";
            case SWEEP_TOMBSTONES ->
                "DELETE FROM holdfast_tombstone WHERE until <= ?1"
                        + " AND id IN (SELECT id FROM holdfast_tombstone ORDER BY id LIMIT ?2)";
            case NOTE ->
                "INSERT INTO holdfast_note (name, client, until, pause) VALUES (?1, ?2, ?3, ?4)"
                        + " ON CONFLICT (name, client) DO UPDATE SET until = ?3, pause = ?4";
            case SWEEP_NOTES ->
                "DELETE FROM holdfast_note WHERE (name, client) IN"
                        + " (SELECT name, client FROM holdfast_note WHERE until <= ?1 LIMIT ?2)";
            case SWEEP_SAVE -> "UPDATE holdfast_meta SET value = ?1 WHERE key = 'swept'";
            case READ_MARKS -> "SELECT lock_name, any_token, exclusive_token FROM holdfast_fence WHERE resource = ?1";
            case WRITE_MARKS ->
                "INSERT INTO holdfast_fence (resource, lock_name, any_token, exclusive_token) VALUES (?1, ?2, ?3, ?4)"
                        + " ON CONFLICT (resource) DO UPDATE SET any_token = ?3, exclusive_token = ?4";
        };
    }

    /** How many tokens, from a column {@code last} and the parameters for the wall clock and the wanted span. */
    private static String got(String wall, String span) {
        return "CASE WHEN last - " + wall + " <= 100000 THEN " + span + " ELSE 1 END";
    }

    /** First token and their number for a new row, as the columns {@code first} and {@code got}. */
    private static String newRowTokens(String wall, String span, String bucket) {
        return "(SELECT coalesce(max(last + 1, " + wall + "), " + wall + " + 200000) AS first, " + got(wall, span)
                + " AS got FROM (SELECT (SELECT last FROM holdfast_bucket WHERE id = " + bucket + ") AS last))";
    }

    private static String columns(String mode) {
        return "holder, " + mode + ", state, until, closed, token, span, ttl, client, label";
    }

    private static String renew(String table) {
        return "UPDATE " + table + " SET until = ?3 + ttl, closed = ?3 + ttl + (closed - until)"
                + " WHERE name = ?1 AND holder = ?2 AND state = 0 AND until > ?3 RETURNING holder, ttl";
    }

    private static String names(String table) {
        return "SELECT name FROM " + table + " WHERE name >= ?1 AND name < ?2 AND closed > ?3 AND instr(name, ?4) = 0";
    }
}
