package io.holdfast.cli.command;

import io.holdfast.Holder;
import io.holdfast.LockNames;
import io.holdfast.LockStatus;
import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.input.UsageException;
import io.holdfast.cli.output.DurationText;
import io.holdfast.cli.output.Json;
import io.holdfast.cli.output.Source;
import io.holdfast.cli.output.Table;
import io.holdfast.cli.output.Terminal;
import io.holdfast.cli.output.Wording;
import io.holdfast.cli.store.StoreOptions;
import io.holdfast.cli.store.StoreView;
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
                        "Lists the locks that are held, waited for or in their lock-delay.",
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
        Source source = options.source();
        try (StoreView view = new StoreView(options)) {
            List<LockStatus> locks = view.list(prefix, limit);
            if (request.flag("--json")) {
                request.terminal().print(json(locks, source).toString());
            } else if (locks.isEmpty()) {
                request.terminal().print(nothing(prefix, source));
            } else {
                print(request.terminal(), locks, source);
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

    private static Json json(List<LockStatus> locks, Source source) {
        return new Json()
                .with("store", source.store())
                .with("namespace", source.namespace())
                .with(
                        "locks",
                        locks.stream().map(lock -> Wording.json(lock, source)).toList());
    }

    private static String nothing(String prefix, Source source) {
        return "no lock" + (prefix.isEmpty() ? "" : " that begins with '" + prefix + "'") + " is held, in " + source
                + (source.namespace().isEmpty() ? "; locks of a namespace are listed with --namespace" : "");
    }

    private static void print(Terminal terminal, List<LockStatus> locks, Source source) {
        terminal.print("in " + Terminal.oneLine(source.toString()));
        Table table = new Table("LOCK", "STATE", "MODE", "HELD BY", "HELD FOR", "LEFT", "WAITING", "TOKEN");
        for (LockStatus lock : locks) {
            String state = Wording.state(lock);
            String waiting = Wording.waiting(lock, source);
            for (Holder holder : lock.holders()) {
                table.row(
                        lock.lockName(),
                        state,
                        Wording.mode(holder.mode()),
                        holder.label(),
                        Wording.age(lock, holder, source),
                        DurationText.of(holder.remaining()),
                        waiting,
                        Long.toString(holder.token()));
            }
            if (!lock.held()) {
                String left = lock.lockDelay().isZero() ? "-" : DurationText.of(lock.lockDelay());
                table.row(lock.lockName(), state, "-", "-", "-", left, waiting, Long.toString(lock.lastToken()));
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
