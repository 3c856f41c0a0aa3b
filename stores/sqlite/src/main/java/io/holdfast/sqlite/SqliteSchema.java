package io.holdfast.sqlite;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a lock file, their version, and the boot to which the times in it belong.
 *
 * <p>Times in the file count from the boot of the machine. The first process that opens the file after a boot finds
 * another boot id in it. In the transaction that writes the new id it voids every lease: their holders are dead, and
 * their times mean nothing any more. So all times within the file are of one clock, and rows need not say of which.
 *
 * <p>A process whose clock has another origin (a time namespace, a faked clock) would break exclusion for all clients and
 * is refused. It is recognised by its namespace, by a clock that is behind a reading noted in the file, or by a lag behind
 * the uptime that became smaller: that lag is suspended time and only grows.
 */
final class SqliteSchema {
    /** "Hold", as SQLite's application id. */
    static final int APPLICATION = 0x486F6C64;

    /** Of the tables below. */
    static final int VERSION = 2;

    private static final long SLACK_MILLIS = 1000;

    /** What version 2 added. */
    private static final List<String> NOTES = List.of(
            "CREATE TABLE holdfast_note (name TEXT NOT NULL, client TEXT NOT NULL, until INTEGER NOT NULL,"
                    + " pause INTEGER NOT NULL, PRIMARY KEY (name, client)) STRICT, WITHOUT ROWID",
            "PRAGMA user_version = " + VERSION);

    private static final List<String> TABLES = List.of(
            "CREATE TABLE holdfast_meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
            "CREATE TABLE holdfast_lock (name TEXT NOT NULL PRIMARY KEY, bucket INTEGER NOT NULL, last INTEGER NOT NULL,"
                    + " holder BLOB, state INTEGER NOT NULL, until INTEGER NOT NULL, closed INTEGER NOT NULL,"
                    + " token INTEGER NOT NULL, span INTEGER NOT NULL, ttl INTEGER NOT NULL, client TEXT NOT NULL,"
                    + " label TEXT NOT NULL) STRICT, WITHOUT ROWID",
            "CREATE TABLE holdfast_share (name TEXT NOT NULL, holder BLOB NOT NULL, mode TEXT NOT NULL,"
                    + " state INTEGER NOT NULL, until INTEGER NOT NULL, closed INTEGER NOT NULL,"
                    + " token INTEGER NOT NULL, span INTEGER NOT NULL, ttl INTEGER NOT NULL, client TEXT NOT NULL,"
                    + " label TEXT NOT NULL, PRIMARY KEY (name, holder)) STRICT, WITHOUT ROWID",
            "CREATE TABLE holdfast_bucket (id INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT",
            "CREATE TABLE holdfast_tombstone (id INTEGER PRIMARY KEY, holder BLOB NOT NULL UNIQUE,"
                    + " until INTEGER NOT NULL, kind INTEGER NOT NULL) STRICT",
            // A holder whose lease ran out is not granted again after another claim has overwritten it (L1).
            "CREATE TRIGGER holdfast_bury AFTER UPDATE OF holder ON holdfast_lock"
                    + " WHEN old.state < 2 AND old.holder IS NOT NULL AND old.closed > 0 BEGIN"
                    + " INSERT INTO holdfast_tombstone (holder, until, kind)"
                    + " VALUES (old.holder, old.closed + 10000000000, old.state)"
                    + " ON CONFLICT DO NOTHING; END",
            "CREATE TABLE holdfast_fence (resource TEXT NOT NULL PRIMARY KEY, lock_name TEXT NOT NULL,"
                    + " any_token INTEGER NOT NULL, exclusive_token INTEGER NOT NULL) STRICT, WITHOUT ROWID",
            "INSERT INTO holdfast_meta (key, value) VALUES ('swept', ''), ('boot', ''), ('origin', ''),"
                    + " ('nanos', '0'), ('lag', '0')",
            "PRAGMA application_id = " + APPLICATION);

    private final String location;
    private final MachineClock clock;

    SqliteSchema(String location, MachineClock clock) {
        this.location = location;
        this.clock = clock;
    }

    /** Prepares a connection that writes. */
    void prepare(SqliteConnection connection) throws SQLException {
        connection.reading(this::checkVersion); // one state: another process may be creating the tables
        connection.run("PRAGMA trusted_schema = OFF");
        writeAhead(connection);
        connection.run("PRAGMA synchronous = NORMAL");
        connection.run("PRAGMA journal_size_limit = 8388608");
        connection.<Boolean>writing(s -> {
            createIfNew(s);
            adoptClock(s);
            return true;
        });
    }

    private int checkVersion(SqliteConnection connection) throws SQLException {
        int application = number(connection.ask("PRAGMA application_id"));
        int version = number(connection.ask("PRAGMA user_version"));
        boolean empty = "0".equals(connection.ask("SELECT count(*) FROM sqlite_schema"));
        if (application != APPLICATION && !(empty && application == 0 && version == 0)) {
            throw new IllegalArgumentException("the file " + location + " is a SQLite database of another application"
                    + " (application_id 0x" + Integer.toHexString(application).toUpperCase(Locale.ROOT)
                    + "): give the locks a file of their own");
        }
        if (version > VERSION) {
            throw new IllegalArgumentException("the lock file " + location + " has schema version " + version
                    + ", this Holdfast knows up to " + VERSION + ": upgrade Holdfast here, or give another path");
        }
        return version;
    }

    /** The switch needs the file for itself for a moment and does not always wait for it by itself. */
    private static void writeAhead(SqliteConnection connection) throws SQLException {
        while (!"wal".equals(connection.ask("PRAGMA journal_mode"))) {
            try {
                connection.ask("PRAGMA journal_mode = WAL");
            } catch (SQLException e) {
                if (!SqliteErrors.isBusy(e) || System.nanoTime() - connection.waitUntil > 0) {
                    throw e;
                }
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private void createIfNew(SqliteConnection connection) throws SQLException {
        int version = checkVersion(connection); // again, now that no other process writes
        if (version == 0) {
            for (String statement : TABLES) {
                connection.run(statement);
            }
        }
        if (version < VERSION) {
            for (String statement : NOTES) {
                connection.run(statement);
            }
        }
    }

    /**
     * Prepares a connection that looks and may not change anything, not even the file's notes about clocks (U31).
     *
     * @throws IllegalArgumentException if no client has made tables yet, or the file belongs to another clock
     */
    void prepareToLook(SqliteConnection connection) throws SQLException {
        connection.run("PRAGMA query_only = ON");
        connection.<Boolean>reading(s -> {
            if (checkVersion(s) == 0) {
                throw new IllegalArgumentException("the lock file " + location
                        + " has no tables of Holdfast yet: a client that acquires a lock creates them");
            }
            if (isOfThisBoot(s)) {
                checkOrigin(s, clock.nanos(), 0);
            }
            return true;
        });
    }

    /** Whether the leases in the file are of this boot; if not, all of them are void. */
    boolean isOfThisBoot(SqliteConnection connection) throws SQLException {
        return clock.bootId().equals(meta(connection, "boot"));
    }

    private void adoptClock(SqliteConnection connection) throws SQLException {
        // This thread may be held up between two readings: one bound is noted, the other one compared with it.
        long uptimeBefore = clock.uptimeNanos();
        long now = clock.nanos();
        long mostLag = Duration.ofNanos(clock.uptimeNanos() - now).toMillis();
        long leastLag = Math.max(0, Duration.ofNanos(uptimeBefore - now).toMillis());
        long known = 0;
        if (!isOfThisBoot(connection)) {
            connection.run("UPDATE holdfast_lock SET until = 0, closed = 0");
            connection.run("DELETE FROM holdfast_share");
            connection.run("DELETE FROM holdfast_tombstone");
            connection.run("DELETE FROM holdfast_note");
            put(connection, "boot", clock.bootId());
            put(connection, "origin", clock.origin());
        } else {
            known = Long.parseLong(String.valueOf(meta(connection, "lag")));
            checkOrigin(connection, now, mostLag - known);
        }
        put(connection, "nanos", Long.toString(now));
        put(connection, "lag", Long.toString(Math.max(leastLag, known)));
    }

    private void checkOrigin(SqliteConnection connection, long now, long lagGrew) throws SQLException {
        String origin = String.valueOf(meta(connection, "origin"));
        long before = Long.parseLong(String.valueOf(meta(connection, "nanos")));
        if (!origin.equals(clock.origin()) || now < before || lagGrew < -SLACK_MILLIS) {
            throw new IllegalArgumentException("the lock file " + location
                    + " is in use by processes with another monotonic clock (" + shown(origin) + " at " + before
                    + " ns; here " + shown(clock.origin()) + " at " + now
                    + " ns): use it from one time namespace only, or give another path");
        }
    }

    private static String shown(String origin) {
        return origin.isEmpty() ? "the machine's" : origin;
    }

    private static @Nullable String meta(SqliteConnection connection, String key) throws SQLException {
        return connection.ask("SELECT value FROM holdfast_meta WHERE key = '" + key + "'");
    }

    private static void put(SqliteConnection connection, String key, String value) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareOnce("UPDATE holdfast_meta SET value = ?1 WHERE key = ?2")) {
            statement.setString(1, value);
            statement.setString(2, key);
            statement.executeUpdate();
        }
    }

    private static int number(@Nullable String text) {
        return text == null ? 0 : Integer.parseInt(text);
    }
}
