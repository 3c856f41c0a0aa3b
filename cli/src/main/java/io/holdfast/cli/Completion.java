package io.holdfast.cli;

import io.holdfast.cli.command.Command;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The completion script, which picocli makes from the syntax of the commands. */
final class Completion {
    private static final String PROGRAM = "holdfast";

    private Completion() {}

    static String script(Function<String, @Nullable Command> commands, List<String> names) {
        CommandLine program = new CommandLine(CommandSpec.create().name(PROGRAM));
        for (String name : names) {
            @Nullable Command command = commands.apply(name);
            if (command != null) {
                program.addSubcommand(name, new CommandLine(HelpPage.spec(command.syntax())));
            }
        }
        return AutoComplete.bash(PROGRAM, program).stripTrailing();
    }
}
