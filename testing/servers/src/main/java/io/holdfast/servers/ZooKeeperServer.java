package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A real ZooKeeper: {@code QuorumPeerMain} from the jar on the class path, in a JVM of its own. Alone, or a member of a
 * {@link ZooKeeperEnsemble}.
 */
public final class ZooKeeperServer extends ServerProcess {
    private static final Duration ANSWER = Duration.ofSeconds(2);

    private final ZooKeeperOptions options;
    private final int id;
    private Map<String, String> members = Map.of();

    /** Configures a server that stands alone and is not started yet. */
    public ZooKeeperServer(ZooKeeperOptions options) {
        this(options, 0);
    }

    /** A member of an ensemble, which says with {@link #join} who the others are. */
    ZooKeeperServer(ZooKeeperOptions options, int id) {
        super("zookeeper", id == 0 ? 1 : 3);
        this.options = options;
        this.id = id;
    }

    /** A started server that does not wait for its disk. */
    public static ZooKeeperServer open() {
        return open(ZooKeeperOptions.defaults().unflushed());
    }

    /** A started server. */
    public static ZooKeeperServer open(ZooKeeperOptions options) {
        return started(new ZooKeeperServer(options));
    }

    /** Its URL. */
    public String url() {
        return "zk://" + address();
    }

    /** Host and port, as ZooKeeper's own client takes them. */
    public String address() {
        return HOST + ":" + port();
    }

    /** Sends one of the four-letter words and returns the answer. */
    public String fourLetters(String word) {
        try {
            return ask(word);
        } catch (IOException e) {
            throw new UncheckedIOException(this + ": " + word + ": " + e.getMessage(), e);
        }
    }

    /** What {@code mntr} tells, as a map. */
    public Map<String, String> monitor() {
        Map<String, String> fields = new LinkedHashMap<>();
        fourLetters("mntr")
                .lines()
                .filter(line -> line.indexOf('\t') > 0)
                .forEach(line ->
                        fields.put(line.substring(0, line.indexOf('\t')), line.substring(line.indexOf('\t') + 1)));
        return fields;
    }

    /** Packets that were received from clients and sent to them since the start or {@link #resetStats()}. */
    public long packets() {
        return number("Received:") + number("Sent:");
    }

    /** Sets the statistics to zero. */
    public void resetStats() {
        fourLetters("srst");
    }

    /** Whether it leads its ensemble at this moment; false if it does not serve. */
    public boolean leads() {
        try {
            return ask("srvr").contains("Mode: leader");
        } catch (IOException e) {
            return false;
        }
    }

    void join(Map<String, String> everybody) {
        members = everybody;
    }

    @Override
    protected List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-Djava.net.preferIPv4Stack=true"));
        options.properties().forEach((name, value) -> command.add("-D" + name + "=" + value));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add("org.apache.zookeeper.server.quorum.QuorumPeerMain");
        command.add(configuration().toString());
        return command;
    }

    @Override
    protected void prepare() throws IOException {
        if (id > 0) {
            Files.writeString(data().resolve("myid"), Integer.toString(id));
        }
    }

    /** Whether it serves: a member without a majority does not. */
    @Override
    protected boolean answers() throws IOException {
        return ask("srvr").contains("Mode: ");
    }

    private Path configuration() {
        Map<String, String> lines = new LinkedHashMap<>(options.settings());
        lines.put("dataDir", data().toString());
        lines.put("clientPort", Integer.toString(port()));
        lines.put("clientPortAddress", HOST);
        lines.putAll(members);
        StringBuilder text = new StringBuilder();
        lines.forEach(
                (name, value) -> text.append(name).append('=').append(value).append('\n'));
        try {
            return Files.writeString(folder().resolve("zoo.cfg"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long number(String label) {
        return fourLetters("srvr")
                .lines()
                .filter(line -> line.startsWith(label))
                .mapToLong(line -> Long.parseLong(line.substring(label.length()).trim()))
                .sum();
    }

    private String ask(String word) throws IOException {
        int patience = (int) TimeScale.of(ANSWER).toMillis();
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(LoopbackPorts.address(), port()), patience);
            socket.setSoTimeout(patience);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
