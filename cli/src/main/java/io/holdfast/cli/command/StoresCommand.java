package io.holdfast.cli.command;

import io.holdfast.cli.ExitCode;
import io.holdfast.cli.output.Json;
import io.holdfast.cli.output.Table;
import io.holdfast.spi.StoreProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** {@code stores}: which stores there are, and which this command can open. */
public final class StoresCommand implements Command {
    private static final String OTHER = "-";

    /** A kind of store. */
    private record Kind(String scheme, String artifact, String example) {}

    private static final List<Kind> KNOWN = List.of(
            new Kind("sqlite", "holdfast-jdbc", "sqlite:  or  sqlite:/var/lib/app/locks.db"),
            new Kind("memory", "holdfast-memory", "memory:  (one process)"),
            new Kind("jdbc", "holdfast-jdbc", "jdbc:postgresql://db/app"),
            new Kind("redis", "holdfast-redis", "redis://cache:6379"),
            new Kind("rediss", "holdfast-redis", "rediss://cache:6380"),
            new Kind("redis-sentinel", "holdfast-redis", "redis-sentinel://s1,s2,s3?master=NAME"),
            new Kind("rediss-sentinel", "holdfast-redis", "the same with TLS"),
            new Kind("redis-cluster", "holdfast-redis", "redis-cluster://n1,n2,n3"),
            new Kind("rediss-cluster", "holdfast-redis", "the same with TLS"),
            new Kind("redlock", "holdfast-redlock", "redlock://r1,r2,r3,r4,r5"),
            new Kind("zk", "holdfast-zookeeper", "zk://z1,z2,z3"),
            new Kind("zks", "holdfast-zookeeper", "the same with TLS"),
            new Kind("etcd", "holdfast-etcd", "etcd://e1,e2,e3"),
            new Kind("etcds", "holdfast-etcd", "the same with TLS"));

    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                        "stores",
                        "stores [--json]",
                        "Lists the URL schemes that Holdfast knows, the artifact that brings each, and whether it is on the"
                                + " class path of this command.",
                        "  holdfast stores")
                .flag("--json", "For machines.");
        return syntax.finish();
    }

    @Override
    public int run(Request request) {
        Set<String> present = new TreeSet<>();
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            present.addAll(provider.schemes());
        }
        List<Kind> kinds = new ArrayList<>(KNOWN);
        for (String scheme : present) {
            if (KNOWN.stream().noneMatch(kind -> kind.scheme().equals(scheme))) {
                kinds.add(new Kind(scheme, OTHER, OTHER));
            }
        }
        if (request.flag("--json")) {
            request.terminal().print(json(kinds, present).toString());
        } else {
            Table table = new Table("SCHEME", "ON CLASS PATH", "ARTIFACT", "EXAMPLE");
            for (Kind kind : kinds) {
                String there = present.contains(kind.scheme()) ? "yes" : "no";
                table.row(kind.scheme(), there, kind.artifact(), kind.example());
            }
            table.lines(request.terminal().colours()).forEach(request.terminal()::print);
        }
        return ExitCode.OK;
    }

    private static Json json(List<Kind> kinds, Set<String> present) {
        List<Json> rows = kinds.stream()
                .map(kind -> new Json()
                        .with("scheme", kind.scheme())
                        .with("artifact", kind.artifact())
                        .with("onClassPath", present.contains(kind.scheme())))
                .toList();
        return new Json().with("stores", rows);
    }
}
