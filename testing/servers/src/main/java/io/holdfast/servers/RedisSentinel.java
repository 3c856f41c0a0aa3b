package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A real Redis Sentinel that watches one primary. */
public final class RedisSentinel extends ServerProcess {
    private static final Duration ANSWER = Duration.ofSeconds(2);

    private final String master;
    private final int primaryPort;
    private final int quorum;
    private final Duration downAfter;

    private RedisSentinel(String master, int primaryPort, int quorum, Duration downAfter) {
        super("sentinel", 1);
        this.master = master;
        this.primaryPort = primaryPort;
        this.quorum = quorum;
        this.downAfter = downAfter;
    }

    /** A started Sentinel that calls {@code primary} by the name {@code master}. */
    public static RedisSentinel open(String master, RedisServer primary, int quorum, Duration downAfter) {
        RedisSentinel sentinel = new RedisSentinel(master, primary.port(), quorum, downAfter);
        try {
            sentinel.start();
            return sentinel;
        } catch (RuntimeException e) {
            sentinel.close();
            throw e;
        }
    }

    /** Sends one command on a connection of its own. */
    public @Nullable Object call(String... command) {
        try (RespConnection connection = RespConnection.to(port(), TimeScale.of(ANSWER))) {
            return connection.call(command);
        } catch (IOException e) {
            throw new UncheckedIOException(this + ": " + String.join(" ", command) + ": " + e.getMessage(), e);
        }
    }

    /** Waits until it knows of that many replicas and of that many other Sentinels. */
    public void awaitKnows(int replicas, int others) {
        awaitCondition("know its group", TimeScale.of(patience()), () -> {
            List<?> replicasKnown = (List<?>) call("SENTINEL", "REPLICAS", master);
            List<?> othersKnown = (List<?>) call("SENTINEL", "SENTINELS", master);
            return replicasKnown != null
                    && replicasKnown.size() >= replicas
                    && othersKnown != null
                    && othersKnown.size() >= others;
        });
    }

    /** The port of whoever is the primary now. */
    public int primaryPort() {
        List<?> address = (List<?>) call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", master);
        return address == null ? -1 : Integer.parseInt(String.valueOf(address.get(1)));
    }

    /** A Sentinel rewrites its configuration, so it needs a file. */
    @Override
    protected void prepare() throws IOException {
        Files.writeString(
                configuration(),
                String.join(
                        "\n",
                        "sentinel monitor " + master + " " + HOST + " " + primaryPort + " " + quorum,
                        "sentinel down-after-milliseconds " + master + " " + downAfter.toMillis(),
                        "sentinel failover-timeout " + master + " 10000",
                        "sentinel parallel-syncs " + master + " 1",
                        ""));
    }

    @Override
    protected List<String> command() {
        try {
            return List.of(
                    RedisBinary.in(folder()).toString(),
                    configuration().toString(),
                    "--sentinel",
                    "--bind",
                    HOST,
                    "--port",
                    Integer.toString(port()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected boolean answers() throws IOException {
        try (RespConnection connection = RespConnection.to(port(), TimeScale.of(ANSWER))) {
            return String.valueOf(connection.call("INFO", "server")).contains("process_id:" + pid() + "\r\n");
        }
    }

    private Path configuration() {
        return data().resolve("sentinel.conf");
    }
}
