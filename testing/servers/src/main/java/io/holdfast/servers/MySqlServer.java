package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real MySQL. It loads {@code libaio}, which not every machine has: where it is missing it is fetched from Debian's package
 * ({@link DebianFile}), and nothing is installed.
 */
public final class MySqlServer extends GreetingServer {
    private static final DebianFile LIBRARY = new DebianFile("libaio1", "libaio.so.1", "libaio.so.1");
    private static final List<Path> USUAL = List.of(
            Path.of("/usr/lib/x86_64-linux-gnu/libaio.so.1"),
            Path.of("/lib/x86_64-linux-gnu/libaio.so.1"),
            Path.of("/usr/lib64/libaio.so.1"),
            Path.of("/lib64/libaio.so.1"));

    /** Making them takes seconds of a busy machine. */
    private static final List<String> NO_CERTIFICATES = List.of(
            "--auto-generate-certs=OFF",
            "--caching-sha2-password-auto-generate-rsa-keys=OFF",
            "--sha256-password-auto-generate-rsa-keys=OFF");

    /** Configures a server that is not started yet; the settings are those of {@code mysqld}, without dashes. */
    public MySqlServer(Map<String, String> settings) {
        super("mysql", settings);
    }

    /** A started server. */
    public static MySqlServer open(Map<String, String> settings) {
        return started(new MySqlServer(settings));
    }

    @Override
    public String urlAt(int port) {
        return "jdbc:mysql://" + HOST + ":" + port + "/" + DATABASE + "?user=" + USER + "&sslMode=DISABLED"
                + "&allowPublicKeyRetrieval=true";
    }

    /** The user that is made by itself may come from {@code localhost}, which is a name, and names are not resolved. */
    @Override
    protected void prepare() throws IOException {
        String user = "'" + USER + "'@'" + HOST + "'";
        Path first = Files.writeString(
                folder().resolve("first.sql"),
                "CREATE DATABASE " + DATABASE + ";\nCREATE USER " + user + ";\nGRANT ALL ON *.* TO " + user
                        + " WITH GRANT OPTION;\n");
        List<String> command = new ArrayList<>();
        command.add(binary());
        command.addAll(places());
        command.addAll(NO_CERTIFICATES);
        command.addAll(List.of("--initialize-insecure", "--init-file=" + first));
        runTool(command);
    }

    @Override
    List<String> program() {
        List<String> program =
                new ArrayList<>(List.of(binary(), "--mysqlx=OFF", "--skip-log-bin", "--innodb-redo-log-capacity=32M"));
        program.addAll(NO_CERTIFICATES);
        return program;
    }

    private String binary() {
        return base().resolve("bin/mysqld").toString();
    }

    @Override
    protected Map<String, String> environment() {
        if (USUAL.stream().anyMatch(Files::exists)) {
            return Map.of();
        }
        try {
            Path library = LIBRARY.in(DebianFile.cacheFolder(System.getenv()));
            return Map.of("LD_LIBRARY_PATH", library.resolveSibling("").toString());
        } catch (IOException e) {
            throw new ServerStartException(
                    "no libaio.so.1, which MySQL loads, and Debian's package of it could not be fetched ("
                            + e.getMessage() + "). Install libaio1, or libaio",
                    e);
        }
    }

    @Override
    Path base() {
        try {
            return ServerBinaries.unpacked(
                    "mysql-8.0.31", folder -> ServerBinaries.untar("/mysql-Linux-amd64.tar.gz", folder));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
