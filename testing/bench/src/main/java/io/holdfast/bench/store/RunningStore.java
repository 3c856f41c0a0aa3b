package io.holdfast.bench.store;

import io.holdfast.bench.measure.ServerMeter;
import io.holdfast.servers.ServerProcess;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store that serves, for the time of one measurement. */
public final class RunningStore implements AutoCloseable {
    private final String url;
    private final List<ServerProcess> servers;
    private final Supplier<Map<String, Double>> counters;
    private final @Nullable DoubleSupplier memory;
    private final AutoCloseable end;

    public RunningStore(
            String url,
            List<ServerProcess> servers,
            Supplier<Map<String, Double>> counters,
            @Nullable DoubleSupplier memory,
            AutoCloseable end) {
        this.url = url;
        this.servers = List.copyOf(servers);
        this.counters = counters;
        this.memory = memory;
        this.end = end;
    }

    /** Where clients find it. */
    public String url() {
        return url;
    }

    /** Its processes; none if it has no server. */
    public List<ServerProcess> servers() {
        return servers;
    }

    /** What the store itself counts, since it started: calls, commands, statements, packets; empty if it does not. */
    public Map<String, Double> counters() {
        return counters.get();
    }

    /** How many bytes it keeps: in memory, or in its file. */
    public OptionalDouble memory() {
        if (memory != null) {
            return OptionalDouble.of(memory.getAsDouble());
        }
        return servers.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(ServerMeter.memoryBytes(servers));
    }

    /** The processor time that its servers have used. */
    public double cpuNanos() {
        return ServerMeter.cpuNanos(servers);
    }

    /** Kills every server and starts it again with whatever it kept; returns when all answer. */
    public void killAndStart() {
        servers.forEach(ServerProcess::kill);
        servers.forEach(ServerProcess::launch);
        servers.forEach(ServerProcess::awaitReady);
    }

    @Override
    public void close() {
        try {
            end.close();
        } catch (Exception e) {
            throw new IllegalStateException("the store at " + url + " cannot be ended", e);
        }
    }
}
