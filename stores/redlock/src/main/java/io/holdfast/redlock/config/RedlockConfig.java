package io.holdfast.redlock.config;

import io.holdfast.LockNames;
import io.holdfast.redis.wire.Login;
import io.holdfast.spi.StoreUrl;
import io.lettuce.core.RedisURI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a {@code redlock://[user:password@]host:port,host:port,…?options} URL says. Messages never contain the password.
 *
 * @param nodes the servers
 * @param tls how to know them
 * @param namespace separates users of one deployment; empty for none
 * @param ioTimeout how long one node may take to answer
 * @param maxTtl the longest TTL plus lock-delay, and how long a node that forgot is not counted (U9)
 * @param fsyncAlways whether every node has each write on disk before it answers, so that a restart forgets nothing
 * @param quarantine whether a node that forgot is not counted for {@code maxTtl}, and not only until it has relearned
 * @param pauseMin the shortest pause between two tries
 * @param pauseRandom the random part that is added to it
 */
public record RedlockConfig(
        List<RedisURI> nodes,
        NodeTls tls,
        String namespace,
        Duration ioTimeout,
        Duration maxTtl,
        boolean fsyncAlways,
        boolean quarantine,
        Duration pauseMin,
        Duration pauseRandom) {
    private static final Set<String> OPTIONS = Set.of(
            "namespace",
            "ioTimeout",
            "maxTtl",
            "fsync",
            "quarantine",
            "pauseMin",
            "pauseRandom",
            "nodes",
            "tls",
            "tlsCa",
            "tlsVerify");
    private static final int PORT = 6379;

    /** As in node.lua. */
    private static final Duration ROUND = Duration.ofSeconds(1);

    private static final Duration LOGIN = Duration.ofSeconds(3);

    /** Checks the ranges. */
    public RedlockConfig {
        nodes = List.copyOf(nodes);
        if (!namespace.isEmpty()) {
            LockNames.check("namespace", namespace);
        }
        if (ioTimeout.toMillis() < 5 || ioTimeout.toSeconds() > 10) {
            throw new IllegalArgumentException("option ioTimeout: 5ms to 10s, but got " + ioTimeout);
        }
        if (maxTtl.toMillis() < 100 || maxTtl.toDays() > 1) {
            throw new IllegalArgumentException("option maxTtl: 100ms to 1d, but got " + maxTtl);
        }
    }

    public static RedlockConfig of(StoreUrl url, String namespace) {
        url.allowOnly(OPTIONS);
        String ofUrl = url.option("namespace").orElse(namespace);
        if (!namespace.isEmpty() && !namespace.equals(ofUrl)) {
            throw new IllegalArgumentException("store URL '" + url + "' has the namespace '" + ofUrl
                    + "' and the client has '" + namespace + "': give one of them");
        }
        NodeTls tls = NodeTls.of(url);
        return new RedlockConfig(
                addresses(url, tls),
                tls,
                ofUrl,
                url.duration("ioTimeout", Duration.ofMillis(50)),
                url.duration("maxTtl", Duration.ofSeconds(60)),
                choice(url, "fsync", "everysec", "always"),
                !choice(url, "quarantine", "on", "off"),
                url.duration("pauseMin", Duration.ofMillis(15)),
                url.duration("pauseRandom", Duration.ofMillis(15)));
    }

    /** How long a node that forgot is not counted at least, and how long a proposal may be decided without a quarantine. */
    public Duration quarantineTime() {
        return quarantine || maxTtl.compareTo(ROUND) < 0 ? maxTtl : ROUND;
    }

    public int majority() {
        return nodes.size() / 2 + 1;
    }

    /** The defaults, for servers that are reached through a client of the caller. */
    public static RedlockConfig usual(List<RedisURI> nodes, String namespace) {
        return new RedlockConfig(
                nodes,
                NodeTls.NONE,
                namespace,
                Duration.ofMillis(50),
                Duration.ofSeconds(60),
                false,
                true,
                Duration.ofMillis(15),
                Duration.ofMillis(15));
    }

    private static List<RedisURI> addresses(StoreUrl url, NodeTls tls) {
        String authority = url.rest().startsWith("//") ? url.rest().substring(2) : "";
        int at = authority.lastIndexOf('@');
        List<RedisURI> nodes = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (String text : authority.substring(at + 1).split(",", -1)) {
            RedisURI node = node(url, text, tls);
            if (at >= 0) {
                login(url, node, authority.substring(0, at));
            }
            if (!seen.add(node.getHost() + ":" + node.getPort())) {
                throw wrong(url, "the address " + text + " is there twice; every node is a server of its own");
            }
            nodes.add(node);
        }
        boolean anyCount = choice(url, "nodes", "odd", "any");
        if (!anyCount && (nodes.size() == 1 || nodes.size() % 2 == 0)) {
            throw wrong(
                    url,
                    "give an odd number of servers, at least three and better five: " + nodes.size()
                            + (nodes.size() == 1 ? " is no quorum" : " survive no more failures than one less")
                            + "; nodes=any accepts it");
        }
        return nodes;
    }

    private static RedisURI node(StoreUrl url, String text, NodeTls tls) {
        int colon = text.lastIndexOf(':');
        boolean six = text.startsWith("[") && colon < text.indexOf(']');
        String host = colon < 0 || six ? text : text.substring(0, colon);
        int port = PORT;
        try {
            port = colon < 0 || six ? PORT : Integer.parseInt(text.substring(colon + 1));
        } catch (NumberFormatException e) {
            port = 0;
        }
        if (host.isEmpty() || host.indexOf('/') >= 0 || port < 1 || port > 65535) {
            throw wrong(url, "write redlock://host:port,host:port,host:port with ports from 1 to 65535");
        }
        RedisURI uri = RedisURI.builder()
                .withHost(host.startsWith("[") ? host.substring(1, host.length() - 1) : host)
                .withPort(port)
                .withSsl(tls.on())
                .withTimeout(LOGIN)
                .build();
        uri.setVerifyPeer(tls.verify());
        return uri;
    }

    private static void login(StoreUrl url, RedisURI node, String userInfo) {
        int colon = userInfo.indexOf(':');
        String user = colon > 0 ? decode(url, userInfo.substring(0, colon)) : null;
        Login.give(node, user, decode(url, userInfo.substring(colon + 1)));
    }

    private static String decode(StoreUrl url, String text) {
        try {
            // A plus sign stands for itself here, unlike in a form.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw wrong(url, "the login has a broken % escape");
        }
    }

    static boolean choice(StoreUrl url, String option, String usual, String other) {
        String value = url.option(option).orElse(usual);
        if (!value.equals(usual) && !value.equals(other)) {
            throw wrong(url, "option " + option + " is '" + usual + "' or '" + other + "', not '" + value + "'");
        }
        return value.equals(other);
    }

    static IllegalArgumentException wrong(StoreUrl url, String remedy) {
        return new IllegalArgumentException("store URL '" + url + "': " + remedy);
    }
}
