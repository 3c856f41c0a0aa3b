package io.holdfast.cli.command;

import io.holdfast.cli.output.Terminal;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * One subcommand. Its syntax is built by hand, not read from annotations: reading them takes longer than everything
 * else that a {@code run} does.
 */
public interface Command {
    /** What it is called with, and its help. */
    CommandSpec spec();

    /** Runs it and says the exit code. Errors are thrown. */
    int run(Request request) throws Exception;

    /**
     * What it was called with.
     *
     * @param parsed what stood before {@code --}
     * @param words what stood after {@code --}, untouched
     * @param terminal where to print
     */
    record Request(ParseResult parsed, List<String> words, Terminal terminal) {
        /** The positional argument. */
        public String argument(String otherwise) {
            return parsed.matchedPositionalValue(0, otherwise);
        }

        /** Whether a flag was given. */
        public boolean flag(String name) {
            return parsed.hasMatchedOption(name);
        }
    }
}
