package io.holdfast.sql.postgres;

import io.holdfast.sql.session.TokenRows;
import io.holdfast.sql.table.NameColumn;

/** Rows of tokens in PostgreSQL. */
final class PostgresTokenRows extends TokenRows {
    PostgresTokenRows(String table, String salt) {
        super(table, salt, PostgresStatements.NOW, NameColumn.TEXT);
    }

    @Override
    protected String unlessPresent() {
        return "ON CONFLICT (name) DO NOTHING";
    }

    /** PostgreSQL evaluates with the old values: the span is computed twice. */
    @Override
    public String drawText() {
        return "UPDATE " + table() + " SET span = " + spanText() + ", last_token = " + firstText() + " - 1 + "
                + spanText() + ", holder = ?, client = ?, label = ?, ttl = ?, revoked = 0,"
                + " session_id = coalesce(nullif(?, 0), pg_backend_pid()) WHERE name = ?";
    }

    /** Whatever the server's default is (U35). */
    @Override
    protected String flushed() {
        return " RETURNING " + PostgresStatements.DURABLE;
    }
}
