package io.holdfast.cli.command;

import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.input.UsageException;

/**
 * {@code bench}: its help. The launcher of a source checkout starts {@code testing/bench/run} instead of this command, so
 * a call that arrives here has no checkout.
 */
public final class BenchCommand implements Command {
    @Override
    public Syntax syntax() {
        return Syntax.command(
                        "bench",
                        "bench [--quick] [--only ID[,ID…]] [--rounds N] [--seconds N] [--out FILE]",
                        "Measures Holdfast, its peers and its floors side by side. Works in a source checkout only.",
                        "  holdfast bench --list",
                        "  holdfast bench --only 'redis-*' --out redis.json")
                .flag("--quick", "Few rounds, for a first impression.")
                .option("--only", "ID[,ID…]", "Only these scenarios; * stands for anything.")
                .option("--rounds", "N", "How often each is measured.")
                .option("--seconds", "N", "How long each contestant is measured in a round, at most.")
                .option("--out", "FILE", "Where the JSON goes.")
                .flag("--list", "Lists the scenarios.")
                .finish();
    }

    @Override
    public int run(Request request) {
        throw new UsageException("bench works in a source checkout only: call its ./holdfast bench");
    }
}
