package io.holdfast.sql.connection;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections that their user closes. */
@FunctionalInterface
public interface ConnectionSource {
    /** A fresh connection. */
    Connection open() throws SQLException;
}
