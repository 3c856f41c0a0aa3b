package io.holdfast.cli.command;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Names;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.output.DurationText;
import io.holdfast.cli.output.Source;
import io.holdfast.cli.output.Terminal;
import io.holdfast.cli.output.Wording;
import io.holdfast.cli.store.StoreOptions;
import io.holdfast.cli.store.StoreView;
import java.time.Duration;
import java.util.List;

/** {@code show NAME}: all that the store knows of one lock. */
public final class ShowCommand implements Command {
    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                        "show",
                        "show NAME [OPTIONS]",
                        "Shows all that the store knows of one lock: who holds it, in which mode, under which token,"
                                + " for how long, and whether it is in its lock-delay.",
                        "  holdfast show nightly-report",
                        "  holdfast show nightly-report --json | jq -r .state      # free, held, lock-delay")
                .argument("NAME", true, "The lock.")
                .flag("--json", "For machines; tokens are strings.");
        return StoreOptions.addTo(syntax).finish();
    }

    @Override
    public int run(Request request) {
        String name = Names.check(request.argument());
        StoreOptions options = StoreOptions.of(request.arguments());
        Source source = options.source();
        try (StoreView view = new StoreView(options)) {
            LockStatus status = view.inspect(name).orElseGet(() -> free(name));
            if (request.flag("--json")) {
                request.terminal().print(Wording.json(status, source).toString());
            } else {
                print(request.terminal(), status, source);
            }
        }
        return ExitCode.OK;
    }

    private static LockStatus free(String name) {
        return new LockStatus(name, List.of(), 0, Duration.ZERO, false, 0, Duration.ZERO);
    }

    private static void print(Terminal terminal, LockStatus status, Source source) {
        line(terminal, "lock", status.lockName());
        line(terminal, "store", source.store());
        if (!source.namespace().isEmpty()) {
            line(terminal, "namespace", source.namespace());
        }
        line(terminal, "state", Wording.state(status));
        for (Holder holder : status.holders()) {
            line(terminal, "", Wording.heldBy(status, holder, source));
            if (holder.span() > 1) {
                line(terminal, "", "its tokens go up to " + (holder.token() + holder.span() - 1));
            }
        }
        if (!status.lockDelay().isZero()) {
            line(terminal, "opens in", DurationText.of(status.lockDelay()));
        }
        line(terminal, "waiting", Wording.waiting(status, source));
        line(terminal, "last token", status.lastToken() == 0 ? "none" : Long.toString(status.lastToken()));
        if (!status.tokenLead().isZero()) {
            line(terminal, "ahead by", DurationText.of(status.tokenLead()));
        }
    }

    private static void line(Terminal terminal, String what, String value) {
        terminal.print(what + " ".repeat(12 - what.length()) + Terminal.oneLine(value));
    }
}
