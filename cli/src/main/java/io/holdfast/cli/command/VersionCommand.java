package io.holdfast.cli.command;

import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.output.Json;

/** {@code version}: what this is and what it runs on. */
public final class VersionCommand implements Command {
    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                        "version",
                        "version [--json]",
                        "Shows the version of Holdfast, and the Java and system it runs on.",
                        "  holdfast version")
                .flag("--json", "For machines.");
        return syntax.finish();
    }

    @Override
    public int run(Request request) {
        String version = VersionCommand.class.getPackage().getImplementationVersion();
        String shown = version == null ? "development" : version;
        String java = System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")";
        String system = System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
        request.terminal()
                .print(
                        request.flag("--json")
                                ? new Json()
                                        .with("version", shown)
                                        .with("java", java)
                                        .with("system", system)
                                        .toString()
                                : "holdfast " + shown + ", Java " + java + ", " + system);
        return ExitCode.OK;
    }
}
