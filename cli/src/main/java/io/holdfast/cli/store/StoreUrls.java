package io.holdfast.cli.store;

import io.holdfast.Holdfast;
import io.holdfast.cli.input.Suggestion;
import io.holdfast.cli.input.UsageException;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes the file of a typed store URL absolute, and explains a URL that no store can open. */
public final class StoreUrls {
    private static final Map<String, String> MEANT = Map.of(
            "postgres", "jdbc:postgresql:",
            "postgresql", "jdbc:postgresql:",
            "mysql", "jdbc:mysql:",
            "mariadb", "jdbc:mariadb:",
            "zookeeper", "zk:",
            "sqlite3", "sqlite:",
            "file", "sqlite:",
            "valkey", "redis:");

    private static final Pattern POSTGRES_WITH_USER = Pattern.compile("^postgresql://[^/?]*@");
    private static final String EMBEDDED = "sqlite";

    private StoreUrls() {}

    /**
     * {@code text} with its file made absolute, so that every folder and every user of it means the same file.
     *
     * @param source where it was given, for people
     * @throws UsageException if it is empty, or of no store that is known
     */
    public static String resolve(String source, String text) {
        if (text.isBlank()) {
            throw new UsageException(source + " is empty: give a store URL, or leave it out for the embedded store of"
                    + " this user on this machine");
        }
        StoreUrl url = StoreUrl.parse(text.strip());
        if (!url.scheme().equals(EMBEDDED) && !schemes().contains(url.scheme())) {
            throw new UsageException("store URL '" + url + "' has the unknown scheme '" + url.scheme() + "'"
                    + meant(url.scheme()) + "; holdfast stores lists all");
        }
        if (url.scheme().equals("jdbc")
                && POSTGRES_WITH_USER.matcher(url.rest()).find()) {
            throw new UsageException(
                    "store URL '" + url + "' has a user before the host, which PostgreSQL's driver does"
                            + " not read: write ?user=…&password=… after the database");
        }
        return url.scheme().equals(EMBEDDED) ? absolute(url) : text.strip();
    }

    /** The schemes of the stores that this command can open. */
    private static List<String> schemes() {
        List<String> schemes = new ArrayList<>();
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            provider.schemes().forEach(scheme -> schemes.add(scheme.name()));
        }
        return schemes;
    }

    /** The file of this user on this machine. */
    public static String embedded() {
        @Nullable String state = System.getenv("XDG_STATE_HOME");
        Path folder = state != null && state.startsWith("/")
                ? Path.of(state)
                : home("sqlite:").resolve(".local/state");
        return EMBEDDED + ":" + folder.resolve("holdfast").resolve("locks.db");
    }

    private static String absolute(StoreUrl url) {
        String rest = url.rest();
        String options = url.raw().substring(url.raw().indexOf(':') + 1 + rest.length());
        if (rest.isEmpty()) {
            return embedded() + options;
        }
        if (rest.startsWith("~/")) {
            return EMBEDDED + ":"
                    + home(url.toString()).resolve(rest.substring(2)).normalize() + options;
        }
        if (rest.startsWith("~")) {
            throw new UsageException("store URL '" + url
                    + "': only ~/ is known, the home folder of this user; write the" + " path of any other");
        }
        // The store refuses what begins with two slashes, and says why.
        return rest.startsWith("/") ? url.raw() : EMBEDDED + ":" + Path.of(rest).toAbsolutePath() + options;
    }

    private static Path home(String url) {
        String home = System.getProperty("user.home", "");
        if (!home.startsWith("/")) {
            throw new UsageException("store '" + url + "' lies in the home folder, and this user has none: set HOME, or"
                    + " give the file as --store sqlite:/path/locks.db (or in " + Holdfast.STORE_VARIABLE + ")");
        }
        return Path.of(home);
    }

    private static String meant(String scheme) {
        @Nullable String known = MEANT.get(scheme.toLowerCase(Locale.ROOT));
        if (known != null) {
            return ", did you mean " + known + "?";
        }
        return Suggestion.of(scheme, schemes())
                .map(near -> ", did you mean " + near + ":?")
                .orElse("");
    }
}
