package io.holdfast.cli.command;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Names;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.input.UsageException;
import io.holdfast.cli.output.DurationText;
import io.holdfast.cli.output.Json;
import io.holdfast.cli.output.Source;
import io.holdfast.cli.output.Terminal;
import io.holdfast.cli.output.Wording;
import io.holdfast.cli.store.StoreOptions;
import java.time.Duration;
import java.util.Optional;

/** {@code release NAME --force}: takes a lock from its holder. */
public final class ReleaseCommand implements Command {
    private static final String ONLY_FENCING =
            "the old holder may still believe in its lease: only fencing protects the data now";

    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                        "release",
                        "release NAME --force [--now] [--yes] [OPTIONS]",
                        "Takes the lock NAME from its holder. Its renewals are refused from now on, and it opens"
                                + " when the current lease would have ended, plus its lock-delay: a live holder learns"
                                + " of the loss first. With --now it opens at once, and only fencing protects the data"
                                + " from the old holder.",
                        "  holdfast release nightly-report --force                  # asks if there is a terminal",
                        "  holdfast release nightly-report --force --now --yes")
                .argument("NAME", true, "The lock.")
                .flag("--force", "Says that you mean it; required.")
                .flag("--now", "Opens the lock at once.")
                .flag("--yes", "Does not ask. Without a terminal nothing is asked.")
                .flag("--json", "For machines.");
        return StoreOptions.addTo(syntax).finish();
    }

    @Override
    public int run(Request request) {
        String name = Names.check(request.argument());
        if (!request.flag("--force")) {
            throw new UsageException("release takes '" + name + "' from its holder: say --force if you mean it");
        }
        boolean now = request.flag("--now");
        Terminal terminal = request.terminal();
        boolean ask = !request.flag("--yes") && terminal.canAsk();
        StoreOptions options = StoreOptions.of(request.arguments());
        Source source = options.source();
        try (Holdfast holdfast = options.open()) {
            if (ask && !confirmed(terminal, holdfast, name, now, source)) {
                terminal.warn("nothing was changed");
                return ExitCode.DECLINED;
            }
            Optional<Duration> opens = holdfast.revoke(name, now ? Revocation.NOW : Revocation.AT_LEASE_END);
            if (request.flag("--json")) {
                terminal.print(json(name, source, opens).toString());
            } else {
                terminal.print(spoken(name, source, opens));
            }
            if (now && opens.isPresent()) {
                terminal.warn(ONLY_FENCING);
            }
        }
        return ExitCode.OK;
    }

    private static boolean confirmed(Terminal terminal, Holdfast holdfast, String name, boolean now, Source source) {
        Optional<LockStatus> status = holdfast.inspect(name);
        if (status.isEmpty() || !status.get().held()) {
            return true;
        }
        for (Holder holder : status.get().holders()) {
            terminal.warn("'" + name + "' is " + Wording.heldBy(status.get(), holder, source) + ", in " + source);
        }
        return terminal.ask(
                now ? "Open it at once? " + ONLY_FENCING + "." : "Revoke it, so that it opens when its lease ends?");
    }

    private static Json json(String name, Source source, Optional<Duration> opens) {
        Json json = new Json()
                .with("lock", name)
                .with("store", source.store())
                .with("namespace", source.namespace())
                .with("revoked", opens.isPresent());
        return opens.isPresent() ? json.with("opensInMillis", opens.get().toMillis()) : json;
    }

    private static String spoken(String name, Source source, Optional<Duration> opens) {
        if (opens.isEmpty()) {
            return "'" + name + "' is not held, in " + source;
        }
        return opens.get().isZero()
                ? "revoked '" + name + "', which is open now, in " + source
                : "revoked '" + name + "', which opens in " + DurationText.of(opens.get()) + ", in " + source;
    }
}
