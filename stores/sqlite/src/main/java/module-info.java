/** The embedded store: locks in a SQLite file. */
module io.holdfast.sqlite {
    requires static org.jspecify;
    requires transitive io.holdfast.core;
    requires java.sql;
    requires org.xerial.sqlitejdbc;

    exports io.holdfast.sqlite;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.sqlite.EmbeddedStoreProvider;
}
