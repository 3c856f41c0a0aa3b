package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.PostgresServer;
import io.holdfast.tck.TestTime;
import java.nio.file.Path;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Over TLS a thread of the store listens, on the same kind of socket; no waiter does (ADR 32). */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class EncryptedWaiterTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    Path folder;

    @Test
    void whoWaitsIsToldOverTls() throws Exception {
        try (PostgresServer server = PostgresServer.open()) {
            encrypt(server);
            String url = server.url().replace("sslmode=disable", "sslmode=require") + "&holdfast.autoCreate=true";
            await().atMost(PATIENCE).ignoreExceptions().until(() -> connects(url));
            LockOptions patient = LockOptions.waitUpTo(Duration.ofMinutes(2)).ttl(Duration.ofSeconds(30));
            try (Holdfast one = Holdfast.builder().url(url).defaults(patient).open();
                    Holdfast two = Holdfast.builder().url(url).defaults(patient).open()) {
                for (int i = 0; i < 20; i++) {
                    Lease held = one.mutex("job").acquire();
                    CompletableFuture<Lease> got = new CompletableFuture<>();
                    Thread waiter = new Thread(() -> {
                        try {
                            got.complete(two.mutex("job").acquire());
                        } catch (InterruptedException | RuntimeException e) {
                            got.completeExceptionally(e);
                        }
                    });
                    waiter.start();
                    // It parks, which one that listened itself would not.
                    await().atMost(PATIENCE).until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
                    assertThat(waiter.getStackTrace())
                            .noneMatch(frame -> frame.getMethodName().equals("hear"));
                    held.close();
                    got.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).close();
                }
                assertThat(number(
                                server,
                                "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                                        + " WHERE ssl AND query LIKE 'LISTEN%'"))
                        .as("connections that listen, over TLS")
                        .isEqualTo(1);
            }
        }
    }

    private static boolean connects(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            return connection.isValid(1);
        }
    }

    private static int number(PostgresServer server, String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    /** With a certificate of its own. The server writes the files itself: only its user may read the key. */
    private void encrypt(PostgresServer server) throws Exception {
        Path store = folder.resolve("server.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(PASSWORD),
                        "-alias",
                        "server",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=localhost")
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        write(
                server,
                "server.key",
                pem("PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded()));
        write(
                server,
                "server.crt",
                pem("CERTIFICATE", keys.getCertificate("server").getEncoded()));
        server.execute("ALTER SYSTEM SET ssl = on");
        server.execute("SELECT pg_reload_conf()");
    }

    private static void write(PostgresServer server, String file, String text) throws SQLException {
        server.execute("COPY (SELECT unnest(string_to_array('" + text + "', E'\\n'))) TO PROGRAM 'umask 077; cat > "
                + file + "'");
    }

    private static String pem(String kind, byte[] content) {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + kind + "-----\n" + lines + "\n-----END " + kind + "-----";
    }
}
