package io.holdfast.sql.table;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** How a database stores lock names so that it compares and orders them by their bytes. */
public enum NameColumn {
    /** A text column whose collation compares bytes. */
    TEXT {
        @Override
        public void set(PreparedStatement statement, int at, String name) throws SQLException {
            statement.setString(at, name);
        }

        @Override
        public String get(ResultSet row, int at) throws SQLException {
            return row.getString(at);
        }
    },
    /** A binary column with the name in UTF-8. */
    BYTES {
        @Override
        public void set(PreparedStatement statement, int at, String name) throws SQLException {
            statement.setBytes(at, name.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String get(ResultSet row, int at) throws SQLException {
            return new String(row.getBytes(at), StandardCharsets.UTF_8);
        }
    };

    /** Binds a name. */
    public abstract void set(PreparedStatement statement, int at, String name) throws SQLException;

    /** Reads a name. */
    public abstract String get(ResultSet row, int at) throws SQLException;
}
