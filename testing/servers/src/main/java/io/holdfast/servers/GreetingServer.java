package io.holdfast.servers;

import java.io.DataInputStream;
import java.io.IOException;
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
 * What MariaDB and MySQL have in common: the options of the server, and that it greets whoever connects. {@link #connect()}
 * needs the JDBC driver on the class path, everything else does not.
 */
public abstract class GreetingServer extends ServerProcess {
    /** The superuser, without a password. */
    public static final String USER = "root";

    /** A database for tests. */
    public static final String DATABASE = "holdfast";

    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final int PROTOCOL_10 = 10;

    private final Map<String, String> settings;

    GreetingServer(String name, Map<String, String> settings) {
        super(name, 1);
        this.settings = Map.copyOf(settings);
    }

    /** The URL through another port, as that of a {@link TcpProxy} before this server. */
    public abstract String urlAt(int port);

    /** The folder with the programs. */
    abstract Path base();

    /** The server within {@link #base()}, and the options that only this kind has. */
    abstract List<String> program();

    /** The URL for the server's own driver, as the superuser. */
    public final String url() {
        return urlAt(port());
    }

    /** A connection of its own. */
    public final Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    /** Runs one statement on a connection of its own. */
    public final void execute(String sql) throws SQLException {
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
    protected List<String> command() {
        List<String> command = new ArrayList<>();
        List<String> program = program();
        command.add(program.get(0));
        command.addAll(places());
        command.addAll(List.of(
                "--bind-address=" + HOST,
                "--port=" + port(),
                "--socket=" + folder().resolve("socket"),
                "--pid-file=" + folder().resolve("pid"),
                "--skip-name-resolve",
                "--innodb-buffer-pool-size=32M"));
        command.addAll(program.subList(1, program.size()));
        settings.forEach((name, value) -> command.add("--" + name + "=" + value));
        return command;
    }

    /** Where everything is, for the server and for what makes its system tables. */
    final List<String> places() {
        return List.of(
                "--no-defaults",
                "--basedir=" + base(),
                "--datadir=" + data(),
                "--user=" + System.getProperty("user.name"));
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
}
