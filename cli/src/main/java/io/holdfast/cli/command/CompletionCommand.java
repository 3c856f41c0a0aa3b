package io.holdfast.cli.command;

import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Syntax;
import java.util.function.Supplier;

/** {@code completion}: prints a script that makes a shell complete commands and options. */
public final class CompletionCommand implements Command {
    private final Supplier<String> script;

    /** {@code script} is made only if it is asked for. */
    public CompletionCommand(Supplier<String> script) {
        this.script = script;
    }

    @Override
    public Syntax syntax() {
        return Syntax.command(
                        "completion",
                        "completion",
                        "Prints a script for bash (and zsh with bashcompinit) that completes commands and options.",
                        "  source <(holdfast completion)                            # in ~/.bashrc",
                        "  holdfast completion >~/.local/share/bash-completion/completions/holdfast")
                .finish();
    }

    @Override
    public int run(Request request) {
        request.terminal().print(script.get());
        return ExitCode.OK;
    }
}
