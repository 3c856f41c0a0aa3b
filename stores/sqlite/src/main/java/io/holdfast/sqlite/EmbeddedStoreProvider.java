package io.holdfast.sqlite;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.spi.support.ReadOnlyStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.SQLiteOpenMode;

/**
 * Opens the embedded store: a SQLite file that any number of processes of one machine share.
 *
 * <p>{@code sqlite:} is the user's default file, {@code sqlite:path} another. Options: {@code namespace}, {@code
 * ioTimeout} (2 s), {@code pauseMin} and {@code pauseRandom} (50 ms each), {@code readOnly} (false).
 * With {@code readOnly=true} the store only looks: it creates no file, and {@link LockStore#inspect} is its only verb.
 */
public final class EmbeddedStoreProvider implements StoreProvider {
    private static final Set<String> OPTIONS = Set.of("namespace", "ioTimeout", "pauseMin", "pauseRandom", "readOnly");
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    /** For {@link java.util.ServiceLoader}. */
    public EmbeddedStoreProvider() {}

    /**
     * Loads SQLite's native library, for a process that has something else to do before it opens the
     * store and a thread to spare meanwhile. Never fails: what is wrong is told when the store is opened.
     */
    public static void preload() {
        try {
            SqliteLibrary.provide();
            SQLiteJDBCLoader.initialize();
        } catch (Exception | LinkageError e) {
            System.getLogger(EmbeddedStoreProvider.class.getName())
                    .log(System.Logger.Level.DEBUG, "SQLite could not be loaded ahead of its use", e);
        }
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("sqlite", "sqlite:/var/lib/app/locks.db"));
    }

    @Override
    public String artifact() {
        return "holdfast-sqlite";
    }

    @Override
    public LockStore open(StoreUrl url, Settings settings) {
        url.allowOnly(OPTIONS);
        Path file = file(url);
        NameSpace names = NameSpace.of(url.option("namespace").orElse(""), settings.namespace());
        StoreInfo info = StoreInfo.of("embedded", file.toString())
                .asBlocking()
                .withIoTimeout(option(url, "ioTimeout", Duration.ofSeconds(2), Duration.ofMillis(1)))
                .withPauses(
                        option(url, "pauseMin", Duration.ofMillis(50), Duration.ofMillis(1)),
                        option(url, "pauseRandom", Duration.ofMillis(50), Duration.ZERO));
        return readOnly(url)
                ? look(file, names, info, MachineClock.system(), SqliteFiles.ofThisMachine())
                : open(file, names, info, MachineClock.system(), SqliteFiles.ofThisMachine());
    }

    /** The file of a store URL with the scheme {@code sqlite}, absolute. It need not exist. */
    public static Path file(StoreUrl url) {
        return SqliteFiles.locate(url.rest(), System.getenv(), System.getProperty("user.home"));
    }

    private static boolean readOnly(StoreUrl url) {
        return switch (url.option("readOnly").orElse("false")) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("store URL '" + url + "': option readOnly is true or false");
        };
    }

    /** Over a file that must be there, and of which nothing is changed. */
    static LockStore look(Path file, NameSpace names, StoreInfo info, MachineClock clock, SqliteFiles files) {
        files.prepareToLook(file);
        SqliteLibrary.provide();
        SQLiteConfig existing = new SQLiteConfig();
        existing.resetOpenMode(SQLiteOpenMode.CREATE);
        String location = file.toString();
        SameFile sameFile = new SameFile(file, clock);
        ConnectionGate reader = new ConnectionGate(
                () -> JDBC.createConnection(JDBC.PREFIX + file, existing.toProperties()),
                location,
                clock,
                SqliteConnection.Use.LOOK);
        EmbeddedLockStore store = new EmbeddedLockStore(info, names, reader, reader, sameFile);
        boolean ready = false;
        try {
            store.connectToLook();
            sameFile.remember();
            ready = true;
        } finally {
            if (!ready) {
                store.close();
            }
        }
        return new ReadOnlyStore(store);
    }

    /** With the machine's clock and file systems as given. */
    static EmbeddedLockStore open(Path file, NameSpace names, StoreInfo info, MachineClock clock, SqliteFiles files) {
        files.prepare(file);
        SqliteLibrary.provide();
        return open(file, names, info, clock, () -> JDBC.createConnection(JDBC.PREFIX + file, new Properties()));
    }

    /** With connections as given, to a file that is in its place. */
    static EmbeddedLockStore open(
            Path file, NameSpace names, StoreInfo info, MachineClock clock, ConnectionGate.ConnectionSource source) {
        SameFile sameFile = new SameFile(file, clock);
        String location = file.toString();
        EmbeddedLockStore store = new EmbeddedLockStore(
                info,
                names,
                new ConnectionGate(source, location, clock, SqliteConnection.Use.WRITE),
                new ConnectionGate(source, location, clock, SqliteConnection.Use.READ),
                sameFile);
        boolean ready = false;
        try {
            store.connect();
            sameFile.remember();
            ready = true;
        } finally {
            if (!ready) {
                store.close();
            }
        }
        return store;
    }

    private static Duration option(StoreUrl url, String name, Duration otherwise, Duration least) {
        Duration value = url.duration(name, otherwise);
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("store URL '" + url + "': option " + name + " is " + least.toMillis()
                    + " ms to " + LONGEST_WAIT.toSeconds() + " s, but got "
                    + url.option(name).orElse(""));
        }
        return value;
    }
}
