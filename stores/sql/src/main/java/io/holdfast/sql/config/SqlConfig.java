package io.holdfast.sql.config;

import io.holdfast.guard.jdbc.FenceTable;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.spi.support.NameSpace;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The options of a store on a database server. In a URL they begin with {@code holdfast}; every other option belongs to
 * the driver.
 *
 * @param mode how a lock is held
 * @param names the namespace
 * @param schema the schema of the tables; empty for the connection's own
 * @param table the name of the lock table, from which the others are derived
 * @param ioTimeout how long a verb may take
 * @param connectTimeout how long opening a connection may take
 * @param poolSize how many connections the store's own pool has at most, beside the one for renewals
 * @param autoCreate whether missing tables are created
 * @param listen whether waiters are woken by notifications where the database has them
 * @param pauseMin the shortest pause between two tries
 * @param pauseRandom the random part that is added to it
 * @param readOnly whether the store only looks: nothing is created, and nothing is written
 * @param unflushed whether a server that does not flush what it answers is accepted without a warning
 */
public record SqlConfig(
        SqlMode mode,
        NameSpace names,
        String schema,
        String table,
        Duration ioTimeout,
        Duration connectTimeout,
        int poolSize,
        boolean autoCreate,
        boolean listen,
        Duration pauseMin,
        Duration pauseRandom,
        boolean readOnly,
        boolean unflushed) {
    static final String PREFIX = "holdfast";
    static final String TABLE = "holdfast_lock";

    private static final Set<String> OPTIONS = new TreeSet<>(Set.of(
            "holdfast",
            "holdfast.namespace",
            "holdfast.schema",
            "holdfast.table",
            "holdfast.ioTimeout",
            "holdfast.connectTimeout",
            "holdfast.poolSize",
            "holdfast.autoCreate",
            "holdfast.listen",
            "holdfast.pauseMin",
            "holdfast.pauseRandom",
            "holdfast.readOnly",
            "holdfast.unflushed"));
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,39}");
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
    private static final int LARGEST_POOL = 1000;
    private static final int LONGEST_NAMESPACE = 128;

    /** The defaults. */
    static SqlConfig defaults() {
        return of(StoreUrl.parse("jdbc:none"), new StoreProvider.Settings("", Duration.ofSeconds(30)));
    }

    /** From a URL. */
    public static SqlConfig of(StoreUrl url, StoreProvider.Settings settings) {
        for (String option : url.options().keySet()) {
            if (isOurs(option) && !OPTIONS.contains(option)) {
                throw new IllegalArgumentException("store URL '" + url + "' has the unknown option '" + option
                        + "'; known are " + String.join(", ", OPTIONS));
            }
        }
        return new SqlConfig(
                SqlMode.of(url),
                namespace(url, settings),
                identifier(url, "holdfast.schema", ""),
                identifier(url, "holdfast.table", TABLE),
                duration(url, "holdfast.ioTimeout", Duration.ofSeconds(2), Duration.ofMillis(10)),
                duration(url, "holdfast.connectTimeout", Duration.ofSeconds(2), Duration.ofMillis(10)),
                number(url, "holdfast.poolSize", 10),
                truth(url, "holdfast.autoCreate", false),
                truth(url, "holdfast.listen", true),
                duration(url, "holdfast.pauseMin", Duration.ofMillis(50), Duration.ofMillis(1)),
                duration(url, "holdfast.pauseRandom", Duration.ofMillis(50), Duration.ZERO),
                truth(url, "holdfast.readOnly", false),
                accepted(url, "holdfast.unflushed"));
    }

    /** Whether an option of a URL is the store's and not the driver's. */
    public static boolean isOurs(String option) {
        return option.equals(PREFIX) || option.startsWith(PREFIX + ".");
    }

    /** A table of this store, qualified. */
    public String qualified(String suffix) {
        return (schema.isEmpty() ? "" : schema + ".") + table + suffix;
    }

    /** A statement with the lock table's qualified name in place of <code>{table}</code>. */
    public String named(String statement) {
        return statement.replace("{table}", qualified(""));
    }

    /** The table of the marks: the one that a guard uses of itself, unless the locks have a table of their own name. */
    public String fenceTable() {
        String name = table.equals(TABLE) ? FenceTable.NAME : table + "_fence";
        return schema.isEmpty() ? name : schema + "." + name;
    }

    private static NameSpace namespace(StoreUrl url, StoreProvider.Settings settings) {
        NameSpace chosen = NameSpace.of(url.option("holdfast.namespace").orElse(""), settings.namespace());
        if (chosen.namespace().getBytes(StandardCharsets.UTF_8).length > LONGEST_NAMESPACE) {
            throw new IllegalArgumentException("a namespace in a database has at most " + LONGEST_NAMESPACE
                    + " bytes, so that it fits into an index together with the longest name");
        }
        return chosen;
    }

    private static String identifier(StoreUrl url, String name, String otherwise) {
        String value = url.option(name).orElse(otherwise);
        if (!value.isEmpty() && !IDENTIFIER.matcher(value).matches()) {
            throw new IllegalArgumentException("store URL '" + url + "': option " + name
                    + " is a letter or _ and up to 39 letters, digits and _, but got '" + value + "'");
        }
        return value;
    }

    private static Duration duration(StoreUrl url, String name, Duration otherwise, Duration least) {
        Duration value = url.duration(name, otherwise);
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("store URL '" + url + "': option " + name + " is " + least.toMillis()
                    + " ms to " + LONGEST_WAIT.toSeconds() + " s, but got "
                    + url.option(name).orElse(""));
        }
        return value;
    }

    private static int number(StoreUrl url, String name, int otherwise) {
        String value = url.option(name).orElse(Integer.toString(otherwise));
        if (!value.matches("[0-9]{1,4}") || Integer.parseInt(value) < 1 || Integer.parseInt(value) > LARGEST_POOL) {
            throw new IllegalArgumentException("store URL '" + url + "': option " + name + " is 1 to " + LARGEST_POOL
                    + ", but got '" + value + "'");
        }
        return Integer.parseInt(value);
    }

    private static boolean accepted(StoreUrl url, String name) {
        String value = url.option(name).orElse("");
        if (!value.isEmpty() && !value.equals("accept")) {
            throw new IllegalArgumentException("store URL '" + url + "': option " + name + " is accept, or left out");
        }
        return !value.isEmpty();
    }

    private static boolean truth(StoreUrl url, String name, boolean otherwise) {
        return switch (url.option(name).orElse(Boolean.toString(otherwise))) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw new IllegalArgumentException("store URL '" + url + "': option " + name + " is true or false");
        };
    }
}
