package io.holdfast.examples.stock;

import io.holdfast.guard.jdbc.FenceTable;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The tables, as the one who started the sale sees them. */
final class Shop implements AutoCloseable {
    static final FenceTable FENCE = FenceTable.named("holdfast_example_fence");

    private static final String LOCK_TABLE = "holdfast_example_lock";

    private final Connection connection;

    Shop(String jdbcUrl) throws SQLException {
        connection = DriverManager.getConnection(jdbcUrl);
        drop();
        run("CREATE TABLE holdfast_example_stock (sku INT NOT NULL PRIMARY KEY, pieces INT NOT NULL,"
                + " version BIGINT NOT NULL)");
        run("CREATE TABLE holdfast_example_sale (seller INT NOT NULL, piece INT NOT NULL)");
        FENCE.create(connection);
    }

    /** The store of the lock, if it is this database too. */
    static String lockUrl(String jdbcUrl) {
        return jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + "holdfast.autoCreate=true&holdfast.table=" + LOCK_TABLE;
    }

    void restock(int items) throws SQLException {
        run("DELETE FROM holdfast_example_sale");
        run("DELETE FROM holdfast_example_stock");
        run("INSERT INTO holdfast_example_stock VALUES (42, " + items + ", 0)");
    }

    /** How many were sold: every sale is a row. */
    int sold() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM holdfast_example_sale")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            drop();
        } finally {
            connection.close();
        }
    }

    private void drop() throws SQLException {
        run("DROP TABLE IF EXISTS holdfast_example_stock");
        run("DROP TABLE IF EXISTS holdfast_example_sale");
        run("DROP TABLE IF EXISTS " + FENCE.name());
        for (String suffix : List.of("", "_row", "_token", "_schema")) {
            run("DROP TABLE IF EXISTS " + LOCK_TABLE + suffix);
        }
    }

    private void run(String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}
