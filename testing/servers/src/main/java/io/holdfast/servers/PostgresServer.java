package io.holdfast.servers;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL. Its superuser is {@value #USER}, without a password; {@link #connect()} needs PostgreSQL's JDBC
 * driver on the class path, everything else does not.
 */
public final class PostgresServer extends ServerProcess {
    /** The superuser and its database. */
    public static final String USER = "postgres";

    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final int PROTOCOL_3 = 196608;

    private final PostgresOptions options;
    private final @Nullable PostgresServer original;
    private final int upstreamPort;

    /** Configures a server that is not started yet. */
    public PostgresServer(PostgresOptions options) {
        this(options, null, 0);
    }

    private PostgresServer(PostgresOptions options, @Nullable PostgresServer original, int upstreamPort) {
        super("postgres", 1);
        this.options = options;
        this.original = original;
        this.upstreamPort = upstreamPort;
    }

    /** A started server that flushes every commit. */
    public static PostgresServer open() {
        return open(PostgresOptions.defaults());
    }

    /** A started server. */
    public static PostgresServer open(PostgresOptions options) {
        return started(new PostgresServer(options));
    }

    /** A started streaming standby; the primary is restarted on the way, because the copy is taken while it rests. */
    public static PostgresServer standbyOf(PostgresServer primary) {
        return standbyOf(primary, primary.port());
    }

    /** A standby that reaches its primary through this port of 127.0.0.1, as through a {@link TcpProxy}. */
    public static PostgresServer standbyOf(PostgresServer primary, int upstreamPort) {
        return started(new PostgresServer(primary.options, primary, upstreamPort));
    }

    /** The URL for JDBC, as the superuser. */
    public String url() {
        return urlAt(port());
    }

    /** The URL through another port, as that of a {@link TcpProxy} before this server. */
    public String urlAt(int port) {
        return "jdbc:postgresql://" + HOST + ":" + port + "/" + USER + "?user=" + USER + "&sslmode=disable";
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

    /** Makes a standby the primary, without asking the old one. */
    public void promote() {
        try {
            runTool(Unprivileged.command(
                    List.of(program("pg_ctl").toString(), "promote", "-w", "-D", data().toString())));
        } catch (IOException e) {
            throw new UncheckedIOException(this + " was not promoted", e);
        }
    }

    /** Waits until this standby receives from its primary. */
    public void awaitStreaming() {
        awaitCondition("stream from its primary", TimeScale.of(patience()), () -> {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement();
                    var rows = statement.executeQuery("select status from pg_stat_wal_receiver")) {
                return rows.next() && "streaming".equals(rows.getString(1));
            } catch (SQLException e) {
                throw new IOException(e);
            }
        });
    }

    @Override
    protected void prepare() throws IOException {
        Unprivileged.own(data());
        PostgresServer from = original;
        if (from == null) {
            runTool(Unprivileged.command(List.of(
                    program("initdb").toString(),
                    "--pgdata=" + data(),
                    "--username=" + USER,
                    "--auth=trust",
                    "--encoding=UTF8",
                    "--locale=C",
                    "--no-sync")));
        } else {
            from.stop();
            copy(from.data(), data());
            Files.createFile(data().resolve("standby.signal"));
            Unprivileged.own(data());
            from.start();
        }
    }

    @Override
    protected List<String> command() {
        List<String> command = new ArrayList<>();
        command.addAll(List.of(program("postgres").toString(), "-D", data().toString()));
        set(command, "listen_addresses", HOST);
        set(command, "port", Integer.toString(port()));
        set(command, "unix_socket_directories", "");
        if (original != null) {
            set(command, "primary_conninfo", "host=" + HOST + " port=" + upstreamPort + " user=" + USER);
        }
        options.settings().forEach((name, value) -> set(command, name, value));
        return Unprivileged.command(command);
    }

    /** Fast: sessions are ended, not waited for. */
    @Override
    protected String stopSignal() {
        return "INT";
    }

    /** Whether the process that answers on the port is ours, and takes sessions. */
    @Override
    protected boolean answers() throws IOException {
        List<String> status = Files.readAllLines(data().resolve("postmaster.pid"));
        return status.size() >= 8
                && status.get(0).equals(Long.toString(pid()))
                && (status.get(7).strip().equals("ready")
                        || status.get(7).strip().equals("standby"))
                && takesSessions();
    }

    /** A killed server leaves its System V segment, a few bytes that tell of a live one; those are counted. */
    @Override
    protected void cleanUp() {
        try {
            List<String> status = Files.readAllLines(data().resolve("postmaster.pid"));
            String[] segment = status.get(6).strip().split(" +");
            runTool(List.of("ipcrm", "-m", segment[segment.length - 1]));
        } catch (IOException | RuntimeException nothingToRemove) {
            // It ended in order, or never started.
            return;
        }
    }

    private boolean takesSessions() throws IOException {
        try (Socket socket = new Socket()) {
            int patience = Math.toIntExact(TimeScale.of(ANSWER).toMillis());
            socket.connect(new InetSocketAddress(LoopbackPorts.address(), port()), patience);
            socket.setSoTimeout(patience);
            byte[] who = ("user\0" + USER + "\0database\0" + USER + "\0\0").getBytes(StandardCharsets.UTF_8);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(8 + who.length);
            out.writeInt(PROTOCOL_3);
            out.write(who);
            out.flush();
            return new DataInputStream(socket.getInputStream()).readByte() == 'R';
        }
    }

    private static void set(List<String> command, String name, String value) {
        command.add("-c");
        command.add(name + "=" + value);
    }

    private static Path program(String name) {
        try {
            return ServerBinaries.unpacked(
                            "postgres-18.6", folder -> ServerBinaries.untar("/postgres-linux-x86_64.txz", folder))
                    .resolve("bin")
                    .resolve(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var content = Files.walk(from)) {
            for (Path path : content.skip(1).toList()) {
                Files.copy(
                        path,
                        to.resolve(from.relativize(path).toString()),
                        StandardCopyOption.COPY_ATTRIBUTES,
                        LinkOption.NOFOLLOW_LINKS);
            }
        }
        Files.deleteIfExists(to.resolve("postmaster.pid"));
        Files.setPosixFilePermissions(to, Files.getPosixFilePermissions(from));
    }
}
