package io.holdfast.sql;

import io.holdfast.spi.StoreUrl;
import io.holdfast.sql.database.Database;
import io.holdfast.sql.h2.H2;
import io.holdfast.sql.mariadb.MariaDb;
import io.holdfast.sql.postgres.Postgres;

/** The kinds of database that Holdfast knows. */
public final class Databases {
    private Databases() {}

    /** The database of a URL. */
    static Database of(StoreUrl url) {
        String rest = url.rest();
        if (rest.startsWith("postgresql:")) {
            return new Postgres();
        }
        if (rest.startsWith("mariadb:") || rest.startsWith("mysql:")) {
            return new MariaDb(rest.startsWith("mysql:"));
        }
        if (rest.startsWith("h2:")) {
            return new H2();
        }
        throw new IllegalArgumentException("store URL '" + url + "': known are jdbc:postgresql:, jdbc:mariadb:,"
                + " jdbc:mysql: and jdbc:h2: (for a file on one machine: sqlite:)");
    }
}
