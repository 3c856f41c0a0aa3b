/** Locks in PostgreSQL, MariaDB, MySQL and H2. */
module io.holdfast.sql {
    requires static org.jspecify;
    requires transitive io.holdfast.core;
    requires transitive java.sql;
    requires io.holdfast.guard.jdbc;
    requires com.zaxxer.hikari;

    exports io.holdfast.sql;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.sql.SqlStoreProvider;
}
