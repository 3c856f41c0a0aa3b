package io.holdfast.redlock;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.LoopbackPorts;
import io.holdfast.servers.RedisOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes with certificates, with users that may do little, and clients that somebody else opened. */
class RedlockSecurityTest {
    /** What docs/stores/redlock.md says a user needs. */
    private static final String[] ACL = {
        "ACL",
        "SETUSER",
        "locker",
        "on",
        ">s3cret",
        "~hfr:*",
        "+hello",
        "+ping",
        "+info",
        "+eval",
        "+evalsha",
        "+time",
        "+hmget",
        "+hget",
        "+hset",
        "+hgetall",
        "+get",
        "+mget",
        "+set",
        "+del",
        "+zscore",
        "+zadd",
        "+zremrangebyscore",
        "+pexpire",
        "+scan"
    };

    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    private Path folder;

    @Test
    void aUserWithTheDocumentedRightsLocksRenewsListsAndReleases() throws Exception {
        try (Nodes nodes = Nodes.settled(Duration.ofSeconds(60));
                Clients clients = new Clients()) {
            nodes.all().forEach(node -> node.call(ACL));
            nodes.all().forEach(node -> node.call("ACL", "SETUSER", "default", "off"));
            String url = nodes.url("ioTimeout=2s");
            ContractClient a = clients.attach(Nodes.open(StoreUrl.parse(url.replace("://", "://locker:s3cret@"))));
            Claim held = exclusive("job").claim();
            a.granted(held);
            a.renewed(held);
            assertThat(ContractClient.answer(a.store().inspect(LockQuery.prefix("", 10))))
                    .hasSize(1);
            a.released(held);

            assertThatThrownBy(() -> Nodes.open(StoreUrl.parse(url.replace("://", "://locker:wr0ng@"))))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("WRONGPASS")
                    .hasMessageNotContaining("wr0ng");
        }
    }

    @Test
    void nodesWithATrustedCertificateAreUsedAndOthersAreNot() throws Exception {
        Path certificate = folder.resolve("cert.pem");
        Path key = folder.resolve("key.pem");
        makeCertificate(certificate, key);
        List<RedisServer> servers = new ArrayList<>();
        List<String> addresses = new ArrayList<>();
        try (Clients clients = new Clients()) {
            for (int i = 0; i < 3; i++) {
                int port = LoopbackPorts.free();
                servers.add(RedisServer.open(RedisOptions.defaults()
                        .option("tls-port", Integer.toString(port))
                        .option("tls-cert-file", certificate.toString())
                        .option("tls-key-file", key.toString())
                        .option("tls-ca-cert-file", certificate.toString())
                        .option("tls-auth-clients", "no")));
                addresses.add("127.0.0.1:" + port);
            }
            String url = "redlock://" + String.join(",", addresses) + "?tls=true&quarantine=off&ioTimeout=2s";
            ContractClient a = clients.attach(Nodes.open(StoreUrl.parse(url + "&tlsCa=" + certificate)));
            // Also without quarantine fresh nodes need a second until they count.
            Claim held = exclusive("job").claim();
            await().atMost(TestTime.patience())
                    .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> a.tryAcquire(held) instanceof Granted);
            a.released(held);

            assertThatThrownBy(() -> Nodes.open(StoreUrl.parse(url))).isInstanceOf(StoreUnavailableException.class);
            Nodes.open(StoreUrl.parse(url + "&tlsVerify=none")).close();
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    @Test
    void aClientThatIsOpenAlreadyIsUsedAndStaysOpen() throws Exception {
        try (Nodes nodes = Nodes.settled(Duration.ofSeconds(60));
                Clients clients = new Clients()) {
            List<RedisURI> uris = nodes.all().stream()
                    .map(node -> RedisURI.create("127.0.0.1", node.port()))
                    .toList();
            RedisClient lettuce = RedisClient.create();
            try {
                assertThatThrownBy(() -> RedlockStore.over(lettuce, uris, "app"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("autoReconnect(false)");
                lettuce.setOptions(ClientOptions.builder().autoReconnect(false).build());
                assertThatThrownBy(() -> RedlockStore.over(lettuce, uris.subList(0, 2), "app"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("odd number");

                ContractClient a = clients.attach(RedlockStore.over(lettuce, uris, "app"));
                Claim held = exclusive("job").claim();
                a.granted(held);
                assertThat(nodes.get(0).call("EXISTS", "app:hfr:l:job")).isEqualTo(1L);
                a.released(held);
                a.store().close();

                assertThat(lettuce.connect(uris.get(0)).sync().ping()).isEqualTo("PONG");
            } finally {
                lettuce.shutdown();
            }
        }
    }

    private void makeCertificate(Path certificate, Path key) throws Exception {
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "RSA",
                        "-alias",
                        "redis",
                        "-dname",
                        "CN=127.0.0.1",
                        "-ext",
                        "SAN=IP:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        String.valueOf(PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        Files.writeString(
                certificate, pem("CERTIFICATE", keys.getCertificate("redis").getEncoded()));
        Files.writeString(key, pem("PRIVATE KEY", keys.getKey("redis", PASSWORD).getEncoded()));
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + what + "-----\n";
    }
}
