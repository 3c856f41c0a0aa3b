/** Guards for data in a SQL database. */
module io.holdfast.guard.jdbc {
    requires static org.jspecify;
    requires transitive io.holdfast.core;
    requires transitive java.sql;

    exports io.holdfast.guard.jdbc;
}
