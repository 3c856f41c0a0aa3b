package io.holdfast.sql.config;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What all clients of the same tables must agree on, kept in them (U33): the mode, because a lock in one mode does not
 * exclude a lock in another; and the salt of the keys. The first client writes them.
 */
public final class TableSettings {
    private static final String MODE = "mode";
    private static final String SALT = "salt";

    private final SqlConfig config;
    private final String table;

    public TableSettings(SqlConfig config) {
        this.config = config;
        this.table = config.qualified("_setting");
    }

    /**
     * Refuses a client whose mode is not that of the tables; the first client's mode becomes theirs, unless that client
     * only looks (U31).
     *
     * @throws IllegalArgumentException if it differs
     */
    public void agree(Connection connection, String location) throws SQLException {
        String own = config.mode().name().toLowerCase(Locale.ROOT);
        String kept = kept(connection, MODE);
        if (kept == null) {
            String adopted = adopted(connection, own);
            kept = config.readOnly() ? adopted : keep(connection, MODE, adopted);
        }
        if (!kept.equals(own)) {
            throw new IllegalArgumentException("the tables " + config.qualified("") + " in the database " + location
                    + " are used with holdfast=" + kept + ", and this client has holdfast=" + own
                    + ": locks of different modes do not exclude each other. Give all clients the same mode, or tables of"
                    + " their own (holdfast.table). To change the mode, stop all clients and delete the row '" + MODE
                    + "' from " + table);
        }
    }

    /** Tables of an earlier version say by their rows how they were used. */
    private String adopted(Connection connection, String own) throws SQLException {
        if (config.mode() == SqlMode.LEASE && !hasSessionModes(connection)) {
            return own;
        }
        boolean leases = hasRows(connection, "");
        boolean sessions = hasRows(connection, "_token");
        if (leases == sessions) {
            return own;
        }
        SqlMode used = leases ? SqlMode.LEASE : hasRows(connection, "_row") ? SqlMode.ROWLOCK : SqlMode.ADVISORY;
        return used.name().toLowerCase(Locale.ROOT);
    }

    /** H2 has lease rows only. */
    private boolean hasSessionModes(Connection connection) throws SQLException {
        return !connection.getMetaData().getURL().startsWith("jdbc:h2:");
    }

    private boolean hasRows(Connection connection, String suffix) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT 1 FROM " + config.qualified(suffix) + " LIMIT 1")) {
            return row.next();
        }
    }

    /**
     * From which, with the name, the key of a new name is derived: another one for every set of tables. A client that only
     * looks makes no names and needs none.
     */
    public String salt(Connection connection) throws SQLException {
        String kept = kept(connection, SALT);
        if (kept != null || config.readOnly()) {
            return kept == null ? "" : kept;
        }
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        return keep(connection, SALT, HexFormat.of().formatHex(random));
    }

    private @Nullable String kept(Connection connection, String setting) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT content FROM " + table + " WHERE setting = ?")) {
            statement.setString(1, setting);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** Keeps a setting and answers what is kept then: of two clients that write first, one wins. */
    private String keep(Connection connection, String setting, String content) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO " + table + " (setting, content) VALUES (?, ?)")) {
            insert.setString(1, setting);
            insert.setString(2, content);
            insert.executeUpdate();
            return content;
        } catch (SQLException e) {
            String kept =
                    e.getSQLState() != null && e.getSQLState().startsWith("23") ? kept(connection, setting) : null;
            if (kept == null) {
                throw e;
            }
            return kept;
        }
    }
}
