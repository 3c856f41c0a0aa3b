package io.holdfast.cli.command;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockNames;
import io.holdfast.LockStatus;
import io.holdfast.cli.ExitCode;
import io.holdfast.cli.output.Json;
import io.holdfast.cli.output.Spoken;
import io.holdfast.cli.output.Table;
import io.holdfast.cli.output.Terminal;
import io.holdfast.cli.output.Wording;
import java.util.List;

/** {@code ls [PREFIX]}: the locks that are held, waited for or closed. */
public final class ListCommand implements Command {
    private static final int DEFAULT_LIMIT = 1000;
    private static final int LARGEST_LIMIT = 1_000_000;

    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                        "ls",
                        "ls [PREFIX] [OPTIONS]",
                        "Lists the locks that somebody holds or waits for, or that are in their lock-delay.",
                        "  holdfast ls",
                        "  holdfast ls stock:",
                        "  holdfast ls --json | jq -r '.locks[].lock'")
                .argument("PREFIX", false, "Only names that begin so.")
                .flag("--json", "For machines; tokens are strings.")
                .option("--limit", "COUNT", "The most locks to list (" + DEFAULT_LIMIT + ").");
        return StoreOptions.addTo(syntax).finish();
    }

    @Override
    public int run(Request request) {
        String prefix = prefix(request);
        int limit = request.arguments().value("--limit").map(ListCommand::limit).orElse(DEFAULT_LIMIT);
        StoreOptions options = StoreOptions.of(request.arguments());
        try (Holdfast holdfast = options.open()) {
            List<LockStatus> locks = holdfast.list(prefix, limit);
            if (request.flag("--json")) {
                request.terminal().print(json(locks, holdfast.store()).toString());
            } else {
                print(request.terminal(), locks, holdfast.store(), prefix, options);
            }
            if (locks.size() >= limit) {
                request.terminal()
                        .warn("only the first " + limit + " locks are listed: raise --limit, or give a prefix");
            }
        }
        return ExitCode.OK;
    }

    static String prefix(Request request) {
        String prefix = request.argument();
        return prefix.isEmpty() ? prefix : LockNames.check("prefix", prefix);
    }

    private static Json json(List<LockStatus> locks, String store) {
        return new Json()
                .with("store", store)
                .with(
                        "locks",
                        locks.stream().map(lock -> Wording.json(lock, store)).toList());
    }

    private static void print(
            Terminal terminal, List<LockStatus> locks, String store, String prefix, StoreOptions options) {
        if (locks.isEmpty()) {
            terminal.print("no lock" + (prefix.isEmpty() ? "" : " that begins with '" + prefix + "'") + " is held"
                    + (options.namespace().isEmpty() ? "" : " in namespace '" + options.namespace() + "'") + ", in "
                    + store);
            return;
        }
        Table table = new Table("LOCK", "STATE", "MODE", "HELD BY", "TOKEN", "LEFT", "WAITING", "STORE");
        for (LockStatus lock : locks) {
            String state = Wording.state(lock);
            String waiting = Wording.waiting(lock, options.url());
            for (Holder holder : lock.holders()) {
                table.row(
                        lock.lockName(),
                        state,
                        Wording.mode(holder.mode()),
                        holder.label(),
                        Long.toString(holder.token()),
                        Spoken.of(holder.remaining()),
                        waiting,
                        store);
            }
            if (!lock.held()) {
                String left = lock.lockDelay().isZero() ? "-" : Spoken.of(lock.lockDelay());
                table.row(lock.lockName(), state, "-", "-", Long.toString(lock.lastToken()), left, waiting, store);
            }
        }
        table.lines(terminal.colours()).forEach(terminal::print);
    }

    private static int limit(String text) {
        try {
            int limit = Integer.parseInt(text);
            if (limit > 0 && limit <= LARGEST_LIMIT) {
                return limit;
            }
        } catch (NumberFormatException e) {
            // Said below, as for a number out of range.
        }
        throw new UsageException("--limit '" + text + "': give a whole number from 1 to " + LARGEST_LIMIT);
    }
}
