package io.holdfast.sql;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.connection.DriverSource;
import io.holdfast.sql.connection.PooledConnections;
import io.holdfast.sql.database.Database;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Opens {@code jdbc:} URLs. Options that begin with {@code holdfast} are the store's, all others the driver's, whose jar
 * is the user's to bring.
 */
public final class SqlStoreProvider implements StoreProvider {
    private static final Pattern USER_IN_ADDRESS = Pattern.compile("^(postgresql|mariadb)://[^/?]*@");

    /** For {@link java.util.ServiceLoader}. */
    public SqlStoreProvider() {}

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("jdbc", "jdbc:postgresql://db/app"));
    }

    @Override
    public String artifact() {
        return "holdfast-sql";
    }

    @Override
    public LockStore open(StoreUrl url, Settings settings) {
        Database database = Databases.of(url);
        refuseUserInAddress(url);
        SqlConfig config = SqlConfig.of(url, settings);
        String driverUrl = driverUrl(url);
        String location = StoreUrl.parse(driverUrl).toString();
        DriverSource source = new DriverSource(driverUrl, database.properties(config), location);
        PooledConnections connections = new PooledConnections(source, config, location);
        boolean ready = false;
        try {
            LockStore store =
                    new StoreAssembly(database, config, location, connections, source::getConnection, false).open();
            ready = true;
            return store;
        } finally {
            if (!ready) {
                connections.close();
            }
        }
    }

    /** These drivers read what stands before the @ as part of the host's name. */
    private static void refuseUserInAddress(StoreUrl url) {
        if (USER_IN_ADDRESS.matcher(url.rest()).find()) {
            throw new IllegalArgumentException("store URL '" + url
                    + "': this driver knows no user and password before the host; write"
                    + " jdbc:postgresql://host/database?user=…&password=… (or jdbc:mariadb:)");
        }
    }

    /** The URL without our options, as it was written. */
    static String driverUrl(StoreUrl url) {
        String raw = url.raw();
        int question = raw.indexOf('?');
        if (question < 0) {
            return raw;
        }
        String rest = Arrays.stream(raw.substring(question + 1).split("&"))
                .filter(option -> !SqlConfig.isOurs(option.substring(0, Math.max(0, option.indexOf('=')))))
                .collect(Collectors.joining("&"));
        return raw.substring(0, question) + (rest.isEmpty() ? "" : "?" + rest);
    }
}
