package io.holdfast.zookeeper;

import io.holdfast.LockNames;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreUrl;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.NodePaths;
import io.holdfast.zookeeper.session.SessionSettings;
import io.holdfast.zookeeper.session.StoreErrors;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.jspecify.annotations.Nullable;

/**
 * What a ZooKeeper URL says: {@code zk://[user:password@]h1[:port],h2/root?option=value}, {@code zks://} with TLS.
 *
 * @param servers as ZooKeeper's client takes them
 * @param root the node below which all nodes are
 * @param namespace separates users of one root; empty for none
 * @param session the session timeout to ask for
 * @param ioTimeout the longest a verb takes
 * @param single whether each lock is one node, which all waiting clients watch
 * @param tokenBase is added to every token
 * @param credentials of the scheme {@code digest}, as {@code user:password}; null for none
 * @param tls what the client needs to know for TLS; null without
 */
record ZooKeeperConfig(
        String servers,
        String root,
        String namespace,
        Duration session,
        Duration ioTimeout,
        boolean single,
        long tokenBase,
        @Nullable String credentials,
        @Nullable Tls tls) {
    static final Set<String> OPTIONS = Set.of(
            "namespace",
            "session",
            "ioTimeout",
            "mode",
            "tokenBase",
            "trustStore",
            "trustStorePassword",
            "keyStore",
            "keyStorePassword",
            "verifyHost");
    static final String DEFAULT_ROOT = "/holdfast";
    static final Duration DEFAULT_IO_TIMEOUT = Duration.ofSeconds(2);
    private static final Pattern SERVERS = Pattern.compile(
            "(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%]+])(?::[0-9]{1,5})?(?:,(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%]+])(?::[0-9]{1,5})?)*");

    /**
     * Trust and identity for TLS. A path that is null leaves the JVM's default.
     */
    record Tls(
            @Nullable String trustStore,
            @Nullable String trustStorePassword,
            @Nullable String keyStore,
            @Nullable String keyStorePassword,
            boolean verifyHost) {}

    /** Checks the ranges. */
    ZooKeeperConfig {
        if (!namespace.isEmpty()) {
            LockNames.check("namespace", namespace);
        }
        PathUtils.validatePath(root);
        if (ioTimeout.toMillis() < 10 || ioTimeout.toMinutes() > 1) {
            throw new IllegalArgumentException("option ioTimeout: 10ms to 1m, but got " + ioTimeout);
        }
        if (session.toMillis() < 100 || session.toHours() > 24) {
            throw new IllegalArgumentException("option session: 100ms to 1d, but got " + session);
        }
        if (tokenBase < 0) {
            throw new IllegalArgumentException("option tokenBase: zero or more, but got " + tokenBase);
        }
    }

    static ZooKeeperConfig of(StoreUrl url, String namespace, Duration defaultTtl) {
        String rest = url.rest();
        if (!rest.startsWith("//")) {
            throw new IllegalArgumentException("store URL '" + url + "': write zk://host:2181 or zk://h1,h2,h3/root");
        }
        String authority = rest.substring(2);
        int slash = authority.indexOf('/');
        String root = slash < 0 || slash == authority.length() - 1 ? DEFAULT_ROOT : authority.substring(slash);
        authority = slash < 0 ? authority : authority.substring(0, slash);
        int at = authority.lastIndexOf('@');
        String credentials = at < 0 ? null : decode(url, authority.substring(0, at));
        String servers = authority.substring(at + 1);
        if (!SERVERS.matcher(servers).matches()) {
            throw new IllegalArgumentException(
                    "store URL '" + url + "': the servers are written h1:2181,h2:2181,h3:2181");
        }
        if (credentials != null && credentials.indexOf(':') < 1) {
            throw new IllegalArgumentException("store URL '" + url + "': credentials are written user:password@");
        }
        try {
            PathUtils.validatePath(root);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("store URL '" + url + "': the root is no path: " + e.getMessage());
        }
        String ofUrl = url.option("namespace").orElse(namespace);
        if (!namespace.isEmpty() && !namespace.equals(ofUrl)) {
            throw new IllegalArgumentException("store URL '" + url + "' has the namespace '" + ofUrl
                    + "' and the client has '" + namespace + "': give one of them");
        }
        return new ZooKeeperConfig(
                servers,
                root,
                ofUrl,
                url.duration("session", defaultTtl),
                url.duration("ioTimeout", DEFAULT_IO_TIMEOUT),
                choice(url, "mode", "sequential", "single"),
                number(url, "tokenBase"),
                credentials,
                url.scheme().equals("zks") ? tls(url) : noTls(url));
    }

    /** The rights of every node: all for the user of the credentials, or for every client if there are none. */
    private List<ACL> acl() {
        Id user = credentials == null ? new Id("world", "anyone") : new Id("auth", "");
        // ZooKeeper calls contains(null), on which List.of throws.
        return Collections.singletonList(new ACL(ZooDefs.Perms.ALL, user));
    }

    /** What the sessions of a store with this configuration need. */
    SessionSettings sessionSettings(String location) {
        NodePaths paths = NodePaths.of(root, namespace);
        return new SessionSettings(paths, acl(), session, ioTimeout, new StoreErrors(location, paths.base()));
    }

    /** What a store with this configuration needs, once it is attached to a client. */
    StoreSetup setup(String location, StoreContext context) {
        return new StoreSetup(UUID.randomUUID().toString(), sessionSettings(location), tokenBase, context);
    }

    ZKClientConfig clientConfig() {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, Long.toString(ioTimeout.toMillis()));
        Tls wanted = tls;
        if (wanted != null) {
            config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
            config.setProperty(
                    ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
            set(config, "zookeeper.ssl.trustStore.location", wanted.trustStore);
            set(config, "zookeeper.ssl.trustStore.password", wanted.trustStorePassword);
            set(config, "zookeeper.ssl.keyStore.location", wanted.keyStore);
            set(config, "zookeeper.ssl.keyStore.password", wanted.keyStorePassword);
            config.setProperty("zookeeper.ssl.hostnameVerification", Boolean.toString(wanted.verifyHost));
        }
        return config;
    }

    private static void set(ZKClientConfig config, String key, @Nullable String value) {
        if (value != null) {
            config.setProperty(key, value);
        }
    }

    private static Tls tls(StoreUrl url) {
        return new Tls(
                url.option("trustStore").orElse(null),
                url.option("trustStorePassword").orElse(null),
                url.option("keyStore").orElse(null),
                url.option("keyStorePassword").orElse(null),
                !choice(url, "verifyHost", "true", "false"));
    }

    private static @Nullable Tls noTls(StoreUrl url) {
        for (String option :
                List.of("trustStore", "trustStorePassword", "keyStore", "keyStorePassword", "verifyHost")) {
            if (url.option(option).isPresent()) {
                throw new IllegalArgumentException(
                        "store URL '" + url + "': option " + option + " is for TLS: write zks:// instead of zk://");
            }
        }
        return null;
    }

    private static boolean choice(StoreUrl url, String option, String usual, String other) {
        String value = url.option(option).orElse(usual);
        if (!value.equals(usual) && !value.equals(other)) {
            throw new IllegalArgumentException("store URL '" + url + "': option " + option + " is '" + usual + "' or '"
                    + other + "', not '" + value + "'");
        }
        return value.equals(other);
    }

    private static long number(StoreUrl url, String option) {
        String value = url.option(option).orElse("0");
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "store URL '" + url + "': option " + option + " is a whole number, not '" + value + "'");
        }
    }

    private static String decode(StoreUrl url, String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("store URL '" + url + "': the credentials have a broken % escape");
        }
    }
}
