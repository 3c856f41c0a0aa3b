package io.holdfast.cli.input;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a command is called with. {@link Arguments} reads it, {@code HelpPage} prints it.
 *
 * <p>Declared here and not in picocli's terms, because a start of the command would otherwise spend more time on
 * reading its arguments than on the lock: picocli's classes are too old for the JVM's archive of loaded classes. It is
 * loaded for the help only.
 *
 * @param name the subcommand
 * @param synopsis how it is called
 * @param description what it does, in a paragraph
 * @param examples lines that end its help
 * @param argument the argument, if it takes one
 * @param options in the order of the help
 */
public record Syntax(
        String name,
        String synopsis,
        String description,
        List<String> examples,
        Optional<Argument> argument,
        List<Option> options) {
    /**
     * An option.
     *
     * @param label what its value is called; empty if it takes none
     */
    public record Option(String name, String label, String description) {
        boolean takesValue() {
            return !label.isEmpty();
        }
    }

    /** The argument beside the options. */
    public record Argument(String label, boolean required, String description) {}

    /** Copies the lists. */
    public Syntax {
        examples = List.copyOf(examples);
        options = List.copyOf(options);
    }

    /** Whether a command of its own follows after {@code --}. */
    public boolean takesCommand() {
        return synopsis.contains(" -- ");
    }

    public static Syntax command(String name, String synopsis, String description, String... examples) {
        return new Syntax(name, synopsis, description, Arrays.asList(examples), Optional.empty(), List.of());
    }

    public Syntax argument(String label, boolean required, String what) {
        return new Syntax(
                name, synopsis, description, examples, Optional.of(new Argument(label, required, what)), options);
    }

    public Syntax option(String option, String label, String what) {
        return and(new Option(option, label, what));
    }

    public Syntax flag(String option, String what) {
        return and(new Option(option, "", what));
    }

    /** With the options that every command ends with. */
    public Syntax finish() {
        return flag("--debug", "Shows where an error came from.").flag("--help", "Shows this help; also -h.");
    }

    private Syntax and(Option option) {
        List<Option> more = new ArrayList<>(options);
        more.add(option);
        return new Syntax(name, synopsis, description, examples, argument, more);
    }
}
