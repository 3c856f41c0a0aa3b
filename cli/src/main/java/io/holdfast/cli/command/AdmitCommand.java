package io.holdfast.cli.command;

import io.holdfast.Holdfast;
import io.holdfast.LockNames;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Sequencers;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.output.Json;
import io.holdfast.cli.output.Source;
import io.holdfast.cli.store.StoreOptions;
import io.holdfast.cli.supervise.RunEnvironment;

/** {@code admit RESOURCE}: the guard for scripts; the mark is kept in the store. */
public final class AdmitCommand implements Command {
    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                        "admit",
                        "admit RESOURCE [OPTIONS]",
                        "Marks RESOURCE with the token of a sequencer, or refuses the sequencer because a newer token"
                                + " was admitted before. Call it first under a lock, before anything of the resource is"
                                + " read. The mark is kept in the store.",
                        "  holdfast run stock -- sh -c 'holdfast admit stock-file && ./take-one.sh'",
                        "  holdfast admit stock-file --sequencer \"$SEQUENCER\"",
                        "",
                        "Exit codes: 0 admitted; 77 stale, so stop; 69 store unavailable; 2 bad input.")
                .argument("RESOURCE", true, "What is guarded: 1 to 512 characters.")
                .option("--sequencer", "TEXT", "The sequencer; without it $" + RunEnvironment.SEQUENCER + ".")
                .flag("--json", "For machines; tokens are strings.");
        return StoreOptions.addTo(syntax).finish();
    }

    @Override
    public int run(Request request) {
        String resource = LockNames.check("resource", request.argument());
        Sequencer sequencer =
                Sequencers.of(request.arguments().value("--sequencer").orElse(""));
        StoreOptions options = StoreOptions.of(request.arguments());
        Source source = options.source();
        try (Holdfast holdfast = options.open()) {
            Json json = new Json()
                    .with("resource", resource)
                    .with("lock", sequencer.lockName())
                    .with("store", source.store())
                    .with("namespace", source.namespace())
                    .with("token", Long.toString(sequencer.token()));
            try {
                holdfast.admit(resource, sequencer);
            } catch (StaleTokenException e) {
                if (request.flag("--json")) {
                    request.terminal()
                            .print(json.with("admitted", false)
                                    .with("seen", Long.toString(e.seen()))
                                    .toString());
                }
                throw e;
            }
            if (request.flag("--json")) {
                request.terminal().print(json.with("admitted", true).toString());
            }
        }
        return ExitCode.OK;
    }
}
