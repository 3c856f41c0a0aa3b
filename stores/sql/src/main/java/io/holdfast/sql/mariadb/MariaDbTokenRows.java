package io.holdfast.sql.mariadb;

import io.holdfast.sql.session.TokenRows;
import io.holdfast.sql.table.NameColumn;

/** Rows of tokens in MariaDB and MySQL. */
final class MariaDbTokenRows extends TokenRows {
    MariaDbTokenRows(String table, String salt) {
        super(table, salt, MariaDb.NOW, NameColumn.BYTES);
    }

    @Override
    protected String unlessPresent() {
        return "ON DUPLICATE KEY UPDATE span = span";
    }

    /** These databases evaluate from left to right with the new values: the span is computed once. */
    @Override
    public String drawText() {
        return "UPDATE " + table() + " SET span = " + spanText() + ", last_token = " + firstText()
                + " - 1 + CASE WHEN ? > 0 THEN span ELSE 1 END, holder = ?, client = ?, label = ?, ttl = ?, revoked = 0,"
                + " session_id = coalesce(nullif(?, 0), CONNECTION_ID()) WHERE name = ?";
    }

    /** A setting of the whole server decides. */
    @Override
    protected String flushed() {
        return "";
    }
}
