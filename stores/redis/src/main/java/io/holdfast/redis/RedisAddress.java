package io.holdfast.redis;

import io.holdfast.redis.wire.ClientConnector;
import io.holdfast.redis.wire.ClusterConnector;
import io.holdfast.redis.wire.Connector;
import io.holdfast.redis.wire.Login;
import io.holdfast.spi.StoreUrl;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import java.io.File;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a Redis is and how to log in, from {@code scheme://[user:password@]host[:port][,host[:port]…][/database]}.
 * Messages never contain the password.
 */
final class RedisAddress {
    static final Set<String> OPTIONS = Set.of("cluster", "master", "sentinelPassword", "tlsVerify", "tlsCa");

    private static final int PORT = 6379;
    private static final int SENTINEL_PORT = 26379;
    private static final Duration LOGIN = Duration.ofSeconds(3);

    private record Node(String host, int port) {}

    private final StoreUrl url;
    private final boolean tls;
    private final boolean sentinel;
    private final boolean cluster;
    private final List<Node> nodes = new ArrayList<>();
    private @Nullable String user;
    private @Nullable String password;
    private int database;

    private RedisAddress(StoreUrl url) {
        this.url = url;
        this.tls = url.scheme().startsWith("rediss");
        this.sentinel = url.scheme().endsWith("-sentinel");
        this.cluster = url.scheme().endsWith("-cluster")
                || url.option("cluster").orElse("false").equals("true");
    }

    static RedisAddress of(StoreUrl url) {
        RedisAddress address = new RedisAddress(url);
        address.read();
        return address;
    }

    /** A client for it. Logging in takes several trips and, in a young JVM, loading of classes: it gets more time. */
    Connector connector(Duration ioTimeout) {
        Duration patience = ioTimeout.compareTo(LOGIN) > 0 ? ioTimeout : LOGIN;
        SslOptions ssl = ssl();
        if (cluster) {
            return ClusterConnector.open(
                    nodes.stream().map(node -> complete(node, patience)).toList(), patience, ssl);
        }
        return ClientConnector.open(sentinel ? sentinelUri(patience) : complete(nodes.get(0), patience), patience, ssl);
    }

    private void read() {
        String rest = url.rest();
        if (!rest.startsWith("//")) {
            throw wrong("write " + url.scheme() + "://host:port");
        }
        String authority = rest.substring(2);
        int slash = authority.indexOf('/', authority.lastIndexOf('@') + 1);
        if (slash >= 0) {
            database = database(authority.substring(slash + 1));
            authority = authority.substring(0, slash);
        }
        int at = authority.lastIndexOf('@');
        if (at >= 0) {
            login(authority.substring(0, at));
        }
        for (String node : authority.substring(at + 1).split(",", -1)) {
            nodes.add(node(node));
        }
        if (nodes.size() > 1 && !sentinel && !cluster) {
            throw wrong("one address, or redis-sentinel:// or redis-cluster:// for several;"
                    + " for a quorum of independent servers redlock://");
        }
        if (cluster && database != 0) {
            throw wrong("a cluster has no databases but 0");
        }
        if (sentinel == url.option("master").isEmpty()) {
            throw wrong("master=NAME belongs to redis-sentinel://, and is needed there");
        }
    }

    private void login(String userInfo) {
        int colon = userInfo.indexOf(':');
        String name = colon < 0 ? "" : decode(userInfo.substring(0, colon));
        user = name.isEmpty() ? null : name;
        password = decode(userInfo.substring(colon + 1));
    }

    private Node node(String text) {
        int colon = text.lastIndexOf(':');
        boolean six = text.startsWith("[") && colon < text.indexOf(']');
        String host = colon < 0 || six ? text : text.substring(0, colon);
        int port = sentinel ? SENTINEL_PORT : PORT;
        if (colon >= 0 && !six) {
            try {
                port = Integer.parseInt(text.substring(colon + 1));
            } catch (NumberFormatException e) {
                throw wrong("a port is a number from 1 to 65535");
            }
        }
        if (host.isEmpty() || port < 1 || port > 65535) {
            throw wrong("an address is host:port, with a port from 1 to 65535");
        }
        return new Node(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
    }

    private int database(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // falls through to the message
        }
        throw wrong("what follows the address is the number of a database, as in redis://host:6379/3");
    }

    private RedisURI complete(Node node, Duration ioTimeout) {
        RedisURI uri = RedisURI.builder()
                .withHost(node.host)
                .withPort(node.port)
                .withSsl(tls)
                .withTimeout(ioTimeout)
                .withDatabase(database)
                .build();
        uri.setVerifyPeer(verify());
        authenticate(uri, user, password);
        return uri;
    }

    private RedisURI sentinelUri(Duration ioTimeout) {
        RedisURI uri = new RedisURI();
        uri.setSentinelMasterId(url.option("master").orElseThrow());
        uri.setTimeout(ioTimeout);
        uri.setDatabase(database);
        uri.setSsl(tls);
        uri.setVerifyPeer(verify());
        authenticate(uri, user, password);
        for (Node node : nodes) {
            RedisURI each = RedisURI.create(node.host, node.port);
            each.setTimeout(ioTimeout);
            each.setSsl(tls);
            each.setVerifyPeer(verify());
            authenticate(each, null, url.option("sentinelPassword").orElse(null));
            uri.getSentinels().add(each);
        }
        return uri;
    }

    private static void authenticate(RedisURI uri, @Nullable String user, @Nullable String password) {
        if (password != null) {
            Login.give(uri, user, password);
        }
    }

    private SslVerifyMode verify() {
        String mode = url.option("tlsVerify").orElse("full");
        return switch (mode) {
            case "full" -> SslVerifyMode.FULL;
            case "ca" -> SslVerifyMode.CA;
            case "none" -> SslVerifyMode.NONE;
            default -> throw wrong("option tlsVerify is full, ca or none, not '" + mode + "'");
        };
    }

    private SslOptions ssl() {
        SslOptions.Builder ssl = SslOptions.builder().jdkSslProvider();
        url.option("tlsCa").ifPresent(file -> {
            if (!new File(file).canRead()) {
                throw wrong("option tlsCa: cannot read '" + file + "'");
            }
            ssl.trustManager(new File(file));
        });
        return ssl.build();
    }

    private String decode(String text) {
        try {
            // A plus sign stands for itself here, unlike in a form.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw wrong("the login has a broken % escape");
        }
    }

    private IllegalArgumentException wrong(String remedy) {
        return new IllegalArgumentException("store URL '" + url + "': " + remedy);
    }
}
