package io.holdfast.cli.command;

/**
 * {@code bench}: the launcher of a source checkout hands it to {@code testing/bench/run} before Java is started, so here
 * is only what to say when there is no such launcher.
 */
public final class BenchCommand implements Command {
    @Override
    public Syntax syntax() {
        return Syntax.command(
                        "bench",
                        "bench [--quick] [--only ID[,ID…]] [--rounds N] [--bars] [--report DIR]",
                        "Measures Holdfast, its peers and its floors side by side. Works in a source checkout only.",
                        "  holdfast bench --list",
                        "  holdfast bench --only 'redis-*' --report bench-report")
                .flag("--quick", "Few rounds, for a first impression.")
                .option("--only", "ID[,ID…]", "Only these scenarios; * stands for anything.")
                .option("--rounds", "N", "How often each is measured.")
                .flag("--bars", "Says which figures were reached.")
                .option("--report", "DIR", "Writes a report into this folder.")
                .flag("--list", "Lists the scenarios.")
                .finish();
    }

    @Override
    public int run(Request request) {
        throw new UsageException("bench works in a source checkout only: call its ./holdfast bench");
    }
}
