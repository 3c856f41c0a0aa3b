package io.holdfast.sql.postgres;

import io.holdfast.spi.support.TokenRule;
import java.time.Duration;

/**
 * The statements of {@link PostgresRows}, which says why they are as they are. Words in braces are filled in once, when
 * the store is opened.
 */
public final class PostgresStatements {
    /** As a double, which is exact to a quarter of a microsecond and costs a tenth of extract's numeric. */
    static final String NOW = "(date_part('epoch', statement_timestamp()) * 1000000)::bigint";

    /** Raises every weaker setting, {@code remote_write} too: it waits for no flush of the standby (U23). */
    static final String DURABLE = "CASE WHEN current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')"
            + " THEN set_config('synchronous_commit', 'on', true) END";

    /** How long a row is marked as waited for. */
    static final Duration MARK = Duration.ofSeconds(60);

    private static final String CLOCK = "(date_part('epoch', clock_timestamp()) * 1000000)::bigint";
    private static final String LAZY = "set_config('synchronous_commit', 'off', true)";
    private static final String FIRST = "greatest(last_token + 1, {now})";
    private static final String SPAN =
            "CASE WHEN last_token - {now} <= " + TokenRule.SPAN_LEAD_MICROS + " THEN ? ELSE 1 END";

    private static final String TAKE = """
            UPDATE {table} SET stamp = stamp + 1, last_token = {last}, holder = ?, state = 0,
              lease_end = {now} + ?::bigint, closed_end = {now} + ?::bigint, token = {first}, span = {span},
              ttl = ?, client = ?, label = ?, extra = NULL, extra_end = 0
            WHERE name = ? AND state = 2 AND greatest(closed_end, extra_end) <= {now} AND last_token > 0
              AND holder IS DISTINCT FROM ?
            RETURNING holder, token, span, {durable}""";

    private static final String ACQUIRE = """
            WITH u AS ({take}),
              i AS (
                INSERT INTO {table} ({columns}, waited)
                SELECT ?, {now}, {now} + {ahead}, ?, 0, {now} + ?::bigint, {now} + ?::bigint, {now} + {ahead}, 1,
                  ?, ?, ?, NULL, 0, 0
                WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE name = ?)
                ON CONFLICT DO NOTHING
                RETURNING holder, token, span, {durable}),
              g AS (SELECT * FROM u UNION ALL SELECT * FROM i)
            SELECT n.now_us, g.holder, g.token, g.span, l.name, l.stamp, l.last_token, l.holder, l.state,
              l.lease_end, l.closed_end, l.token, l.span, l.ttl, l.client, l.label, l.extra, l.extra_end
            FROM (SELECT {now} AS now_us) n LEFT JOIN g ON true
              LEFT JOIN {table} l ON l.name = ? AND g.holder IS NULL""";

    private static final String RELEASE = """
            UPDATE {table} SET stamp = stamp + 1, state = 2, lease_end = {now}, closed_end = 0
            WHERE name = ? AND holder = ? AND closed_end > {now}
            RETURNING holder, ({pause}), {lazy}, {notify}""";

    private static final String EXTEND = """
            WITH got AS MATERIALIZED (
              SELECT l.name FROM {table} l
                JOIN unnest(?::text[], ?::bytea[]) AS w(name, holder) ON l.name = w.name AND l.holder = w.holder
              WHERE l.state = 0 AND l.lease_end > {clock}
              ORDER BY l.name FOR UPDATE OF l SKIP LOCKED)
            UPDATE {table} l SET stamp = stamp + 1, lease_end = {clock} + ttl,
              closed_end = {clock} + ttl + (closed_end - lease_end)
            FROM got WHERE l.name = got.name
            RETURNING l.holder, l.ttl, {durable}""";

    private static final String INSERT = """
            INSERT INTO {table} ({columns}, waited) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
            ON CONFLICT DO NOTHING RETURNING stamp, {durable}""";

    /** A row that another connection has locked is about to get another stamp: there is nothing to wait for (L7). */
    private static final String SWAP = """
            {update} WHERE name = (
              SELECT name FROM {table} WHERE name = ? AND stamp = ? FOR UPDATE SKIP LOCKED)
            RETURNING stamp, {commit}""";

    private static final String READ = """
            SELECT n.now_us, {columns}
            FROM (SELECT {now} AS now_us) n LEFT JOIN {table} l ON l.name = ANY (?)""";

    /** Takes the row that is there and free: span, holder, TTL, TTL with delay, span, TTL, client, label, name, holder. */
    final String take;

    /** The same for one token, without the two spans. */
    final String takeOne;

    /**
     * Takes the name, whether it has a row or not. As {@link #take}, then name, holder, TTL, TTL with delay, TTL, client,
     * label, name, name. Returns the time, the grant (holder, token, span) if there is one, and else the row.
     */
    final String acquire;

    /** Releases: name, holder, name, client. Returns the holder and the longest pause that another client noted. */
    final String release;

    /** Extends leases without waiting for a row: names, holders. Returns holder and TTL of each that it extended. */
    final String extend;

    /** Inserts a row. Returns its stamp. */
    final String insert;

    /** Writes a row that has the stamp with which it was read. Returns the new stamp. */
    final String swap;

    /** As {@link #swap}, for a change that opens the name. */
    final String open;

    /** Marks a row as waited for: name. */
    final String mark;

    /** Reads rows with the time: names. */
    final String read;

    /** With these words filled in. */
    PostgresStatements(Words words) {
        String several = TAKE.replace("{last}", "{first} - 1 + {span}").replace("{span}", SPAN);
        take = words.fill(several);
        takeOne = words.fill(TAKE.replace("{last}", "{first}").replace("{span}", "1"));
        acquire = words.fill(ACQUIRE.replace("{take}", several));
        release = words.fill(RELEASE);
        extend = words.fill(EXTEND);
        insert = words.fill(INSERT);
        swap = words.fill(SWAP.replace("{commit}", "{durable}"));
        open = words.fill(SWAP.replace("{commit}", "{lazy}, {notify}"));
        mark = words.fill(
                "UPDATE {table} SET waited = {now} + " + MARK.toNanos() / 1000 + " WHERE name = ? RETURNING {lazy}");
        read = words.fill(READ);
    }

    /**
     * What differs between stores, and between this class and its neighbours.
     *
     * @param table the lock table
     * @param channel where waiting clients listen
     * @param columns all columns of a row, in their order
     * @param update the beginning of an UPDATE that sets them
     * @param pause a query for the longest pause that another client noted: name, client
     */
    record Words(String table, String channel, String columns, String update, String pause) {
        /** In one line, as people see it in the server's views. */
        private String fill(String template) {
            return template.replaceAll("\\s+", " ")
                    .replace("{update}", update)
                    .replace(
                            "{notify}",
                            "CASE WHEN waited > {now} THEN pg_notify('" + channel + "', name::text)::text END")
                    .replace("{pause}", pause)
                    .replace("{durable}", DURABLE)
                    .replace("{lazy}", LAZY)
                    .replace("{first}", FIRST)
                    .replace("{ahead}", Long.toString(TokenRule.START_AHEAD_MICROS))
                    .replace("{columns}", columns)
                    .replace("{clock}", CLOCK)
                    .replace("{now}", NOW)
                    .replace("{table}", table);
        }
    }
}
