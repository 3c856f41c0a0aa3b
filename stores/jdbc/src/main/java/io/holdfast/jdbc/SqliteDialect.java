package io.holdfast.jdbc;

import io.holdfast.StoreUnavailableException;
import java.sql.SQLException;
import java.util.Locale;
import org.sqlite.BusyHandler;

/**
 * SQLite, one file on one machine.
 *
 * <p>{@code BEGIN IMMEDIATE} and every single writing statement take the file's only write lock before they read, so
 * they are decided one after the other in all processes. Statements that do not read the clock inside a write
 * transaction may see an older time than the one at which they run; that is harmless where it can only refuse more or
 * grant less (acquire, release), and renewals read it inside.
 *
 * <p>The journal is write-ahead with {@code synchronous=NORMAL}: a commit survives the death of any process at once,
 * and a crash of the machine with the next checkpoint only. What a crash can take back is sound: leases are void after
 * it anyway (another boot), and tokens are seeded by the clock, which has moved on. Marks of guarded resources must
 * survive it and are committed with {@code FULL}.
 */
final class SqliteDialect implements SqlDialect {
    private static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int NO_MEMORY = 7;
    private static final int READ_ONLY = 8;
    private static final int INTERRUPT = 9;
    private static final int IO_ERROR = 10;
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANNOT_OPEN = 14;
    private static final int CONSTRAINT = 19;
    private static final int NOT_A_DATABASE = 26;

    private final String location;
    private final MachineClock clock;
    private final Use use;

    /** What a connection is for. */
    enum Use {
        /** Writes and, where needed, creates the schema. */
        WRITE,
        /** Reads beside a connection that writes. */
        READ,
        /** Reads a file that this process does not write: it may be of another boot. */
        LOOK
    }

    SqliteDialect(String location, MachineClock clock, Use use) {
        this.location = location;
        this.clock = clock;
        this.use = use;
    }

    @Override
    public String text(LeaseStatement statement) {
        return SqliteStatements.text(statement);
    }

    @Override
    public void prepare(SqlSession session) throws SQLException {
        BusyHandler.setHandler(session.connection(), new ShortNaps(session));
        switch (use) {
            case WRITE -> new SqliteSchema(location, clock).prepare(session);
            case READ -> session.run("PRAGMA query_only = ON");
            case LOOK -> new SqliteSchema(location, clock).prepareToLook(session);
        }
    }

    @Override
    public void lockName(SqlSession session, String name) {
        // BEGIN IMMEDIATE has excluded all other writers of the file.
    }

    /** After every lease, if they are of another boot and no client has said so in the file yet. */
    @Override
    public long leaseNanos(SqlSession session) throws SQLException {
        return use == Use.LOOK && !new SqliteSchema(location, clock).isOfThisBoot(session)
                ? Long.MAX_VALUE
                : clock.nanos();
    }

    @Override
    public long wallMicros(SqlSession session) {
        return clock.wallMicros();
    }

    @Override
    public void durable(SqlSession session, boolean on) throws SQLException {
        session.run(on ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    }

    @Override
    public StoreUnavailableException explain(SQLException error) {
        String remedy = switch (primary(error)) {
            case BUSY, LOCKED ->
                "is busy: another process is writing for longer than this request may wait; raise ioTimeout or"
                        + " the TTL";
            case READ_ONLY -> "cannot be written: give this user the right to write the file and its folder";
            case FULL ->
                "cannot grow: its disk or quota is full; free some space (nothing was granted, nothing is lost)";
            case CANNOT_OPEN ->
                "cannot be opened: check that the file and its folder exist and may be" + " read and written";
            case NOT_A_DATABASE -> "is not a SQLite database: give another path, or move that file away";
            case CORRUPT -> "is damaged: stop all users of it and delete it (guards protect the data, tokens go on)";
            case IO_ERROR -> "cannot be read or written: check the disk";
            default -> "failed";
        };
        return new StoreUnavailableException(
                "the lock file " + location + " " + remedy + " ["
                        + String.valueOf(error.getMessage()).replaceAll("\\s+", " ") + "]",
                outcomeUnknown(error),
                error);
    }

    @Override
    public boolean survives(SQLException error) {
        return switch (primary(error)) {
            case BUSY, LOCKED, FULL, CONSTRAINT, INTERRUPT -> true;
            default -> false;
        };
    }

    /** SQLite rolls back what it could not commit; only after an I/O error the file may tell otherwise later. */
    private static boolean outcomeUnknown(SQLException error) {
        return switch (primary(error)) {
            case BUSY, LOCKED, FULL, READ_ONLY, CANNOT_OPEN, NOT_A_DATABASE, CONSTRAINT, NO_MEMORY, INTERRUPT -> false;
            default -> true;
        };
    }

    private static int primary(SQLException error) {
        return error.getErrorCode() & 0xff;
    }

    /** For messages of {@link SqliteSchema}. */
    static String hex(int value) {
        return "0x" + Integer.toHexString(value).toUpperCase(Locale.ROOT);
    }
}
