package io.holdfast.bench.store;

import io.holdfast.bench.library.HoldfastLibrary;
import io.holdfast.bench.library.LockLibraries;
import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.library.StoreCalls;
import io.holdfast.bench.measure.TemporaryFolder;
import io.holdfast.bench.question.Question;
import io.holdfast.servers.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A store of which every {@link Question} is asked that suits it: how it is started and found, what it counts itself,
 * and which peers lock in it too. Immutable; {@link StoresUnderTest} has a line for each.
 *
 * @param name in one word; the ids of its workloads begin with it
 * @param start starts it anew and empty
 * @param hasServers whether there are processes that can be killed, metered and put behind a proxy
 * @param betweenProcesses whether another process can use the same store
 * @param callsCountedHere whether only {@link StoreCalls} can count its calls
 * @param shortTtl a TTL that it can keep and that is short enough to wait for its end
 * @param catalog the libraries for it
 * @param peers the libraries that are measured beside Holdfast
 */
public record StoreUnderTest(
        String name,
        Supplier<RunningStore> start,
        boolean hasServers,
        boolean betweenProcesses,
        boolean callsCountedHere,
        Duration shortTtl,
        LockLibraries catalog,
        List<LockLibrary> peers) {
    private static final Duration TWO_SECONDS = Duration.ofSeconds(2);

    /** A store without server and file, which lives in the JVM. */
    public static StoreUnderTest inProcess(String name, String url) {
        Supplier<RunningStore> start = () ->
                new RunningStore(url, List.of(), () -> Map.of(StoreCalls.CALLS, StoreCalls.total()), null, () -> {});
        return new StoreUnderTest(name, start, false, false, true, TWO_SECONDS, new HoldfastLibrary(), List.of());
    }

    /** A store in a file of this machine. */
    public static StoreUnderTest file(String name, Function<Path, String> url) {
        return new StoreUnderTest(
                name, () -> startFile(url), false, true, true, TWO_SECONDS, new HoldfastLibrary(), List.of());
    }

    /** A store of one server. */
    public static <S extends ServerProcess> StoreUnderTest server(
            String name, Supplier<S> open, Function<S, String> url) {
        return servers(name, open, List::of, url, server -> Map.of(), null);
    }

    /**
     * A store of one server or of several.
     *
     * @param open starts them
     * @param members the processes, for kill and proxy; the URL names the first port of each
     * @param url where clients find it
     * @param counters what it counts since its start, as {@code commands}; empty if nothing
     * @param memory the bytes it keeps; null for what the kernel says of its processes
     */
    public static <S extends AutoCloseable> StoreUnderTest servers(
            String name,
            Supplier<S> open,
            Function<S, List<? extends ServerProcess>> members,
            Function<S, String> url,
            Function<S, Map<String, Double>> counters,
            @Nullable ToDoubleFunction<S> memory) {
        Supplier<RunningStore> start = () -> {
            S opened = open.get();
            return new RunningStore(
                    url.apply(opened),
                    new ArrayList<>(members.apply(opened)),
                    () -> counters.apply(opened),
                    memory == null ? null : () -> memory.applyAsDouble(opened),
                    opened);
        };
        return new StoreUnderTest(name, start, true, true, false, TWO_SECONDS, new HoldfastLibrary(), List.of());
    }

    /** With these peers, the first of which the others are compared with. */
    public StoreUnderTest against(LockLibraries all, LockLibrary... others) {
        return new StoreUnderTest(
                name, start, hasServers, betweenProcesses, callsCountedHere, shortTtl, all, List.of(others));
    }

    /** With another short TTL, for a store that cannot keep one of 2 s. */
    public StoreUnderTest shortTtl(Duration ttl) {
        return new StoreUnderTest(name, start, hasServers, betweenProcesses, callsCountedHere, ttl, catalog, peers);
    }

    /** Holdfast and the peers. */
    public List<LockLibrary> libraries() {
        List<LockLibrary> all = new ArrayList<>();
        all.add(HoldfastLibrary.DEFAULT);
        all.addAll(peers);
        return all;
    }

    /** The same where calls are what matters, and Holdfast twice: with and without passes between its threads. */
    public List<LockLibrary> countedLibraries() {
        List<LockLibrary> all = new ArrayList<>();
        all.add(callsCountedHere ? HoldfastLibrary.COUNTED : HoldfastLibrary.DEFAULT);
        all.add(callsCountedHere ? HoldfastLibrary.COUNTED_WITHOUT_PASSES : HoldfastLibrary.WITHOUT_PASSES);
        all.addAll(peers);
        return all;
    }

    private static RunningStore startFile(Function<Path, String> url) {
        try {
            TemporaryFolder folder = new TemporaryFolder();
            return new RunningStore(
                    url.apply(folder.path().resolve("locks.db")),
                    List.of(),
                    () -> Map.of(StoreCalls.CALLS, StoreCalls.total()),
                    () -> bytesIn(folder.path()),
                    folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static double bytesIn(Path folder) {
        try (var files = Files.list(folder)) {
            return files.mapToDouble(file -> file.toFile().length()).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
