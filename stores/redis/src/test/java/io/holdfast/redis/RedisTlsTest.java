package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.LoopbackPorts;
import io.holdfast.servers.RedisOptions;
import io.holdfast.servers.RedisServer;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code rediss://} to a real server with a certificate of its own. */
class RedisTlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    private Path folder;

    @Test
    void aServerWhoseCertificateIsTrustedIsUsedAndAnyOtherIsNot() throws Exception {
        Path certificate = folder.resolve("cert.pem");
        Path key = folder.resolve("key.pem");
        makeCertificate(certificate, key);
        int port = LoopbackPorts.free();
        RedisOptions tls = RedisOptions.defaults()
                .option("tls-port", Integer.toString(port))
                .option("tls-cert-file", certificate.toString())
                .option("tls-key-file", key.toString())
                .option("tls-ca-cert-file", certificate.toString())
                .option("tls-auth-clients", "no");
        try (RedisServer server = RedisServer.open(tls)) {
            String url = "rediss://127.0.0.1:" + port;
            try (Holdfast client = Holdfast.open(url + "?tlsCa=" + certificate);
                    Lease lease = client.mutex("job").acquire()) {
                assertThat(lease.token()).isPositive();
                assertThat(server.info("keyspace")).containsKey("db0");
            }
            assertThatThrownBy(() -> Holdfast.open(url)).isInstanceOf(StoreUnavailableException.class);
            Holdfast.open(url + "?tlsVerify=none").close();
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
