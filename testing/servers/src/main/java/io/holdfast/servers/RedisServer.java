package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A real Redis. */
public final class RedisServer extends ServerProcess {
    private static final Duration ANSWER = Duration.ofSeconds(2);

    private final RedisOptions options;
    private @Nullable ClockShim clock;

    /** Configures a server that is not started yet. */
    public RedisServer(RedisOptions options) {
        super("redis", 1);
        this.options = options;
    }

    /** A started server that keeps nothing on disk. */
    public static RedisServer open() {
        return open(RedisOptions.defaults());
    }

    /** A started server. */
    public static RedisServer open(RedisOptions options) {
        return started(new RedisServer(options));
    }

    /** Its URL. */
    public String url() {
        return "redis://" + HOST + ":" + port();
    }

    /** A connection of its own; each reply may take 2 s. */
    public RespConnection connect() {
        try {
            return RespConnection.to(port(), TimeScale.of(ANSWER));
        } catch (IOException e) {
            throw new UncheckedIOException(this + ": " + e.getMessage(), e);
        }
    }

    /** Sends one command on a connection of its own; see {@link RespConnection#call}. */
    public @Nullable Object call(String... command) {
        try (RespConnection connection = RespConnection.to(port(), TimeScale.of(ANSWER))) {
            return connection.call(command);
        } catch (IOException e) {
            throw new UncheckedIOException(this + ": " + String.join(" ", command) + ": " + e.getMessage(), e);
        }
    }

    /** A section of INFO as a map. */
    public Map<String, String> info(String section) {
        Map<String, String> fields = new LinkedHashMap<>();
        String.valueOf(call("INFO", section))
                .lines()
                .filter(line -> line.indexOf(':') > 0)
                .forEach(line ->
                        fields.put(line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 1)));
        return fields;
    }

    /** How often this command ran since the start or {@link #resetStats()}, inside scripts included. */
    public long calls(String command) {
        String stats = info("commandstats").getOrDefault("cmdstat_" + command.toLowerCase(Locale.ROOT), "calls=0,");
        return Long.parseLong(stats.substring("calls=".length(), stats.indexOf(',')));
    }

    /** Sets the statistics to zero. */
    public void resetStats() {
        call("CONFIG", "RESETSTAT");
    }

    /**
     * Steps the wall clock of this server, which was started with {@link RedisOptions#ownClock()}; a negative step goes
     * back. Every other clock, and its own monotonic one, stays.
     */
    public void stepClock(Duration by) {
        clock().step(by);
    }

    private ClockShim clock() {
        if (!options.hasOwnClock()) {
            throw new IllegalStateException(this + " was started without a clock of its own");
        }
        ClockShim known = clock;
        if (known == null) {
            known = ClockShim.in(folder());
            clock = known;
        }
        return known;
    }

    @Override
    protected Map<String, String> environment() {
        return options.hasOwnClock() ? clock().environment() : Map.of();
    }

    /** Waits until this replica has its primary's data and follows it. */
    public void awaitReplicating() {
        awaitCondition(
                "follow its primary",
                TimeScale.of(patience()),
                () -> "up".equals(info("replication").get("master_link_status")));
    }

    @Override
    protected List<String> command() {
        List<String> command = new ArrayList<>();
        try {
            command.add(
                    (options.hasOwnClock() ? RedisBinary.dynamicIn(folder()) : RedisBinary.in(folder())).toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        command.addAll(List.of("--bind", HOST, "--port", Integer.toString(port()), "--protected-mode", "no"));
        options.settings().forEach((name, value) -> {
            command.add("--" + name);
            command.addAll(value.isEmpty() ? List.of("") : List.of(value.split(" ")));
        });
        return command;
    }

    /** Whether the process that answers on the port is ours, and has loaded its data. */
    @Override
    protected boolean answers() throws IOException {
        try (RespConnection connection = RespConnection.to(port(), TimeScale.of(ANSWER))) {
            String server = String.valueOf(connection.call("INFO", "server"));
            return server.contains("process_id:" + pid() + "\r\n") && "PONG".equals(connection.call("PING"));
        }
    }
}
