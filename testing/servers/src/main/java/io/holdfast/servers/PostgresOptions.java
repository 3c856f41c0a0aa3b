package io.holdfast.servers;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** How a {@link PostgresServer} is configured. Immutable; every method returns a changed copy. */
public final class PostgresOptions {
    private static final PostgresOptions DEFAULTS = new PostgresOptions(Map.of())
            // A killed server leaves nothing in /dev/shm.
            .option("dynamic_shared_memory_type", "mmap")
            .option("shared_buffers", "32MB")
            .option("max_connections", "200")
            // As short as the server allows, so that a restarted primary is found soon.
            .option("wal_retrieve_retry_interval", "100ms");

    private final Map<String, String> settings;

    private PostgresOptions(Map<String, String> settings) {
        this.settings = Collections.unmodifiableMap(settings);
    }

    /** Durable as PostgreSQL is by itself: every commit is flushed. */
    public static PostgresOptions defaults() {
        return DEFAULTS;
    }

    /** Leaves flushing to the system: faster, and still safe when only the server is killed and not the machine. */
    public PostgresOptions withoutFsync() {
        return option("fsync", "off").option("full_page_writes", "off");
    }

    /** Counts statements in {@code pg_stat_statements}; the extension is still to be created. */
    public PostgresOptions countingStatements() {
        return option("shared_preload_libraries", "pg_stat_statements").option("pg_stat_statements.track", "all");
    }

    /** Any setting of {@code postgresql.conf}; the last word on it counts. */
    public PostgresOptions option(String name, String value) {
        Map<String, String> changed = new LinkedHashMap<>(settings);
        changed.put(name, value);
        return new PostgresOptions(changed);
    }

    Map<String, String> settings() {
        return settings;
    }
}
