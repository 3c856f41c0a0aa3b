package io.holdfast.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.grpc.netty.GrpcSslContexts;
import io.holdfast.etcd.client.CallingThreadExecutor;
import io.holdfast.etcd.client.IoThreadInterceptor;
import io.holdfast.spi.StoreUrl;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of an etcd cluster and its login, from {@code etcd://[user:password@]host[:port][,host[:port]…]}.
 * Messages never contain the password.
 */
final class EtcdAddress {
    static final Set<String> OPTIONS = Set.of("tlsCa", "tlsCert", "tlsKey", "tlsName");

    private static final int PORT = 2379;
    private static final Duration PING = Duration.ofSeconds(10);

    private final StoreUrl url;
    private final boolean tls;
    private final List<String> nodes = new ArrayList<>();
    private @Nullable String user;
    private @Nullable String password;

    private EtcdAddress(StoreUrl url) {
        this.url = url;
        this.tls = url.scheme().equals("etcds");
    }

    static EtcdAddress of(StoreUrl url) {
        EtcdAddress address = new EtcdAddress(url);
        address.read();
        return address;
    }

    /**
     * A client for it. The client repeats no request: the engine decides what follows an unknown outcome. A call fails
     * at once if no connection can be made.
     */
    Client client(Duration ioTimeout) {
        ClientBuilder builder = Client.builder()
                .endpoints(nodes.stream()
                        .map(node -> URI.create((tls ? "https://" : "http://") + node))
                        .toArray(URI[]::new))
                .executorService(new CallingThreadExecutor())
                .retryMaxAttempts(0)
                .waitForReady(false)
                .connectTimeout(ioTimeout)
                .keepaliveTime(PING)
                .keepaliveTimeout(ioTimeout)
                .keepaliveWithoutCalls(false);
        if (user != null && password != null) {
            builder.user(ByteSequence.from(user, StandardCharsets.UTF_8))
                    .password(ByteSequence.from(password, StandardCharsets.UTF_8));
        } else {
            builder.interceptor(new IoThreadInterceptor());
        }
        if (tls) {
            secure(builder);
        }
        return builder.build();
    }

    private void secure(ClientBuilder builder) {
        try {
            SslContextBuilder context = GrpcSslContexts.forClient();
            File authorities = file("tlsCa");
            if (authorities != null) {
                context.trustManager(authorities);
            }
            File certificate = file("tlsCert");
            File key = file("tlsKey");
            if ((certificate == null) != (key == null)) {
                throw wrong("tlsCert and tlsKey belong together");
            }
            if (certificate != null) {
                context.keyManager(certificate, key);
            }
            builder.sslContext(context.build());
        } catch (SSLException | IllegalArgumentException e) {
            throw new IllegalArgumentException("store URL '" + url + "': TLS cannot be set up: " + e.getMessage(), e);
        }
        // jetcd verifies one name for all members.
        builder.authority(url.option("tlsName").orElseGet(() -> hostOf(nodes.get(0))));
    }

    private @Nullable File file(String option) {
        String name = url.option(option).orElse(null);
        if (name == null) {
            return null;
        }
        File file = new File(name);
        if (!file.canRead()) {
            throw wrong("option " + option + ": cannot read '" + name + "'");
        }
        return file;
    }

    private void read() {
        String rest = url.rest();
        if (!rest.startsWith("//")) {
            throw wrong("write " + url.scheme() + "://host:port");
        }
        String authority = rest.substring(2);
        int at = authority.lastIndexOf('@');
        if (at >= 0) {
            login(authority.substring(0, at));
        }
        for (String node : authority.substring(at + 1).split(",", -1)) {
            nodes.add(node(node));
        }
        if (!tls && OPTIONS.stream().anyMatch(option -> url.option(option).isPresent())) {
            throw wrong("the tls options belong to etcds://");
        }
    }

    private void login(String userInfo) {
        int colon = userInfo.indexOf(':');
        if (colon <= 0) {
            throw wrong("a login is user:password");
        }
        user = decode(userInfo.substring(0, colon));
        password = decode(userInfo.substring(colon + 1));
    }

    private String node(String text) {
        int colon = text.lastIndexOf(':');
        boolean six = text.startsWith("[") && colon < text.indexOf(']');
        String host = colon < 0 || six ? text : text.substring(0, colon);
        int port = PORT;
        if (colon >= 0 && !six) {
            try {
                port = Integer.parseInt(text.substring(colon + 1));
            } catch (NumberFormatException e) {
                throw wrong("a port is a number from 1 to 65535");
            }
        }
        if (host.isEmpty() || host.indexOf('/') >= 0 || port < 1 || port > 65535) {
            throw wrong("an address is host:port, with a port from 1 to 65535 and nothing after it");
        }
        return host + ":" + port;
    }

    private static String hostOf(String node) {
        String host = node.substring(0, node.lastIndexOf(':'));
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
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
