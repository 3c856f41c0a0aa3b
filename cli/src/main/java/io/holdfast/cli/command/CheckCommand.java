package io.holdfast.cli.command;

import io.holdfast.CheckResult;
import io.holdfast.Holdfast;
import io.holdfast.Sequencer;
import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Sequencers;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.output.Json;
import io.holdfast.cli.output.Source;
import io.holdfast.cli.store.StoreOptions;
import io.holdfast.cli.supervise.RunEnvironment;
import java.util.Locale;

/** {@code check SEQUENCER}: whether the lock was held under this token a moment ago. */
public final class CheckCommand implements Command {
    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                        "check",
                        "check [SEQUENCER] [OPTIONS]",
                        "Asks the store whether the lock was held under this token. The answer is about the past: only"
                                + " a guard at the resource (see holdfast admit --help) closes the gap.",
                        "  holdfast check \"$SEQUENCER\"",
                        "  holdfast run stock -- sh -c 'holdfast check && ./take.sh'",
                        "",
                        "Exit codes: 0 valid; 77 stale; 78 the store cannot tell; 69 store unavailable; 2 bad input.")
                .argument("SEQUENCER", false, "The sequencer; without it $" + RunEnvironment.SEQUENCER + ".")
                .flag("--json", "For machines; tokens are strings.");
        return StoreOptions.addTo(syntax).finish();
    }

    @Override
    public int run(Request request) {
        Sequencer sequencer = Sequencers.of(request.argument());
        StoreOptions options = StoreOptions.of(request.arguments());
        Source source = options.source();
        try (Holdfast holdfast = options.open()) {
            CheckResult result = holdfast.check(sequencer);
            String word = result.name().toLowerCase(Locale.ROOT);
            if (request.flag("--json")) {
                request.terminal()
                        .print(new Json()
                                .with("lock", sequencer.lockName())
                                .with("store", source.store())
                                .with("namespace", source.namespace())
                                .with("token", Long.toString(sequencer.token()))
                                .with("result", word)
                                .toString());
            } else {
                request.terminal()
                        .print(word + ": token " + sequencer.token() + " of '" + sequencer.lockName() + "', in "
                                + source);
            }
            return switch (result) {
                case VALID -> ExitCode.OK;
                case STALE -> ExitCode.STALE;
                case UNKNOWN -> ExitCode.UNKNOWN;
            };
        }
    }
}
