package io.holdfast.servers;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** How a {@link ZooKeeperServer} is configured. Immutable; every method returns a changed copy. */
public final class ZooKeeperOptions {
    private static final ZooKeeperOptions DEFAULTS = new ZooKeeperOptions(Map.of(), Map.of())
            .option("tickTime", "500")
            .option("initLimit", "20")
            .option("syncLimit", "10")
            .option("minSessionTimeout", "500")
            .option("maxSessionTimeout", "3600000")
            .option("maxClientCnxns", "0")
            .option("4lw.commands.whitelist", "*")
            .property("zookeeper.admin.enableServer", "false")
            .property("zookeeper.cnxTimeout", "500")
            .property("zookeeper.fastleader.maxNotificationInterval", "500")
            .property("zookeeper.extendedTypesEnabled", "true");

    private final Map<String, String> settings;
    private final Map<String, String> properties;

    private ZooKeeperOptions(Map<String, String> settings, Map<String, String> properties) {
        this.settings = Collections.unmodifiableMap(settings);
        this.properties = Collections.unmodifiableMap(properties);
    }

    /** Short ticks, sessions from half a second to an hour, every change flushed to the disk. */
    public static ZooKeeperOptions defaults() {
        return DEFAULTS;
    }

    /** Does not wait for the disk: for tests of what the server answers, not of what it keeps. */
    public ZooKeeperOptions unflushed() {
        return property("zookeeper.forceSync", "no");
    }

    /** The tick, of which the server makes its session timeouts and its patience between members. */
    public ZooKeeperOptions tick(Duration value) {
        return option("tickTime", Long.toString(value.toMillis()));
    }

    /** Any setting of {@code zoo.cfg}; the last word on it counts. */
    public ZooKeeperOptions option(String name, String value) {
        return new ZooKeeperOptions(with(settings, name, value), properties);
    }

    /** Any system property of the server's JVM. */
    public ZooKeeperOptions property(String name, String value) {
        return new ZooKeeperOptions(settings, with(properties, name, value));
    }

    Map<String, String> settings() {
        return settings;
    }

    Map<String, String> properties() {
        return properties;
    }

    private static Map<String, String> with(Map<String, String> map, String name, String value) {
        Map<String, String> changed = new LinkedHashMap<>(map);
        changed.put(name, value);
        return changed;
    }
}
