package io.holdfast.cli.command;

import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.output.Json;
import io.holdfast.cli.output.Table;
import io.holdfast.spi.StoreProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** {@code stores}: which stores this command can open. */
public final class StoresCommand implements Command {
    /** A scheme and the artifact that brings it. */
    private record Kind(StoreProvider.Scheme scheme, String artifact) {}

    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                        "stores",
                        "stores [--json]",
                        "Lists the URL schemes that this command can open, with an example and the artifact that brings"
                                + " the same store to a Java application.",
                        "  holdfast stores")
                .flag("--json", "For machines.");
        return syntax.finish();
    }

    @Override
    public int run(Request request) {
        List<Kind> kinds = kinds();
        if (request.flag("--json")) {
            request.terminal().print(json(kinds).toString());
        } else {
            Table table = new Table("SCHEME", "ARTIFACT", "EXAMPLE");
            for (Kind kind : kinds) {
                table.row(kind.scheme().name(), kind.artifact(), kind.scheme().example());
            }
            table.lines(request.terminal().colours()).forEach(request.terminal()::print);
        }
        return ExitCode.OK;
    }

    /** All of them, those of one artifact together. */
    private static List<Kind> kinds() {
        List<Kind> kinds = new ArrayList<>();
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            provider.schemes().forEach(scheme -> kinds.add(new Kind(scheme, provider.artifact())));
        }
        kinds.sort(Comparator.comparing(Kind::artifact));
        return kinds;
    }

    private static Json json(List<Kind> kinds) {
        List<Json> rows = kinds.stream()
                .map(kind -> new Json()
                        .with("scheme", kind.scheme().name())
                        .with("artifact", kind.artifact())
                        .with("example", kind.scheme().example()))
                .toList();
        return new Json().with("stores", rows);
    }
}
