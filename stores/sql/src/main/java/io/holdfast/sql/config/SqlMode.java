package io.holdfast.sql.config;

import io.holdfast.spi.StoreUrl;
import java.util.Locale;

/** How a lock is held in a database server. */
public enum SqlMode {
    /** A row with an end. */
    LEASE,
    /** A row that an open transaction has locked. */
    ROWLOCK,
    /** The database's own named lock. */
    ADVISORY;

    static SqlMode of(StoreUrl url) {
        String value = url.option(SqlConfig.PREFIX).orElse("lease");
        for (SqlMode mode : values()) {
            if (mode.name().toLowerCase(Locale.ROOT).equals(value)) {
                return mode;
            }
        }
        throw new IllegalArgumentException("store URL '" + url + "': option holdfast has the unknown value '" + value
                + "'; known are lease, rowlock and advisory");
    }
}
