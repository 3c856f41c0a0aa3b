package io.holdfast.cli.command;

import io.holdfast.LockStatus;
import io.holdfast.StoreUnavailableException;
import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.output.Changes;
import io.holdfast.cli.output.Terminal;
import io.holdfast.cli.store.StoreOptions;
import io.holdfast.cli.store.StoreView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** {@code watch [PREFIX]}: prints what changes. It looks again and again, which every store allows. */
public final class WatchCommand implements Command {
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(50);
    private static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(1);
    private static final int MOST_LOCKS = 10_000;

    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                        "watch",
                        "watch [PREFIX] [OPTIONS]",
                        "Prints the locks that are held now, and then each change, until it is interrupted. It looks"
                                + " once per interval: what comes and goes in between is not seen.",
                        "  holdfast watch",
                        "  holdfast watch stock: --for 1m --interval 200ms",
                        "  holdfast watch --json | jq -c 'select(.change == \"granted\")'")
                .argument("PREFIX", false, "Only names that begin so.")
                .option("--for", "DURATION", "Ends after this time; without it, when interrupted.")
                .option("--interval", "DURATION", "The time between two looks (1s).")
                .flag("--json", "One JSON object per line; tokens are strings.");
        return StoreOptions.addTo(syntax).finish();
    }

    @Override
    public int run(Request request) throws InterruptedException {
        String prefix = ListCommand.prefix(request);
        Optional<Duration> length = request.arguments().duration("--for", Duration.ZERO);
        long interval = request.arguments()
                .duration("--interval", SHORTEST_INTERVAL)
                .orElse(DEFAULT_INTERVAL)
                .toNanos();
        Terminal terminal = request.terminal();
        StoreOptions options = StoreOptions.of(request.arguments());
        try (StoreView view = new StoreView(options)) {
            Changes changes = new Changes(options.source(), request.flag("--json"));
            changes.to(view.list(prefix, MOST_LOCKS)).forEach(terminal::print);
            long end = System.nanoTime() + length.map(Duration::toNanos).orElse(0L);
            boolean away = false;
            while (!terminal.isClosed() && (length.isEmpty() || end - System.nanoTime() > 0)) {
                long pause = length.isEmpty() ? interval : Math.min(interval, end - System.nanoTime());
                TimeUnit.NANOSECONDS.sleep(pause);
                try {
                    List<LockStatus> locks = view.list(prefix, MOST_LOCKS);
                    changes.to(locks).forEach(terminal::print);
                    away = false;
                } catch (StoreUnavailableException e) {
                    if (!away) {
                        terminal.warn(e.getMessage() + "; still trying");
                    }
                    away = true;
                }
            }
        }
        return ExitCode.OK;
    }
}
