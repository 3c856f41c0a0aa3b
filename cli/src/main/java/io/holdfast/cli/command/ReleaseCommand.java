package io.holdfast.cli.command;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockNames;
import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.cli.ExitCode;
import io.holdfast.cli.output.Json;
import io.holdfast.cli.output.Spoken;
import io.holdfast.cli.output.Terminal;
import io.holdfast.cli.output.Wording;
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
                        "Takes the lock NAME from whoever holds it. Its renewals are refused from now on, and it opens"
                                + " when the current lease would have ended, plus its lock-delay: a live holder learns"
                                + " of the loss first. With --now it opens at once, and only fencing protects the data"
                                + " from the old holder.",
                        "  holdfast release nightly-report --force                  # asks; in a script add --yes",
                        "  holdfast release nightly-report --force --now --yes")
                .argument("NAME", true, "The lock.")
                .flag("--force", "Says that you mean it; required.")
                .flag("--now", "Opens the lock at once.")
                .flag("--yes", "Does not ask; required where nobody can be asked.")
                .flag("--json", "For machines.");
        return StoreOptions.addTo(syntax).finish();
    }

    @Override
    public int run(Request request) {
        String name = LockNames.check(request.argument());
        if (!request.flag("--force")) {
            throw new UsageException("release takes '" + name + "' from its holder: say --force if you mean it");
        }
        boolean now = request.flag("--now");
        Terminal terminal = request.terminal();
        if (!request.flag("--yes") && !terminal.canAsk()) {
            throw new UsageException("release '" + name + "' cannot ask without a terminal: say --yes if you mean it");
        }
        try (Holdfast holdfast = StoreOptions.of(request.arguments()).open()) {
            if (!request.flag("--yes") && !confirmed(terminal, holdfast, name, now)) {
                terminal.warn("nothing was changed");
                return ExitCode.DECLINED;
            }
            Optional<Duration> opens = holdfast.revoke(name, now ? Revocation.NOW : Revocation.AT_LEASE_END);
            if (request.flag("--json")) {
                terminal.print(json(name, holdfast.store(), opens).toString());
            } else {
                terminal.print(spoken(name, holdfast.store(), opens));
            }
            if (now && opens.isPresent()) {
                terminal.warn(ONLY_FENCING);
            }
        }
        return ExitCode.OK;
    }

    private static boolean confirmed(Terminal terminal, Holdfast holdfast, String name, boolean now) {
        Optional<LockStatus> status = holdfast.inspect(name);
        if (status.isEmpty() || !status.get().held()) {
            return true;
        }
        for (Holder holder : status.get().holders()) {
            terminal.warn("'" + name + "' is " + Wording.heldBy(holder, holdfast.store()));
        }
        return terminal.ask(
                now ? "Open it at once? " + ONLY_FENCING + "." : "Revoke it, so that it opens when its lease ends?");
    }

    private static Json json(String name, String store, Optional<Duration> opens) {
        Json json = new Json().with("lock", name).with("store", store).with("revoked", opens.isPresent());
        return opens.isPresent() ? json.with("opensInMillis", opens.get().toMillis()) : json;
    }

    private static String spoken(String name, String store, Optional<Duration> opens) {
        if (opens.isEmpty()) {
            return "nobody holds '" + name + "', in " + store;
        }
        return opens.get().isZero()
                ? "revoked '" + name + "', which is open now, in " + store
                : "revoked '" + name + "', which opens in " + Spoken.of(opens.get()) + ", in " + store;
    }
}
