package io.holdfast.cli.command;

import io.holdfast.cli.input.Arguments;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.output.Terminal;
import java.util.List;

/** One subcommand. */
public interface Command {
    /** What it is called with, and its help. */
    Syntax syntax();

    /** Runs it and says the exit code. Errors are thrown. */
    int run(Request request) throws Exception;

    /**
     * What it was called with.
     *
     * @param arguments what stood before {@code --}
     * @param words what stood after {@code --}, untouched; only {@code run} takes any
     * @param terminal where to print
     */
    record Request(Arguments arguments, List<String> words, Terminal terminal) {
        /** The argument. */
        String argument() {
            return arguments.argument("");
        }

        /** Whether a flag was given. */
        boolean flag(String name) {
            return arguments.flag(name);
        }
    }
}
