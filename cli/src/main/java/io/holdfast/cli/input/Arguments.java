package io.holdfast.cli.input;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a command was called with: options as {@code --name value} or {@code --name=value}, each once, in any order
 * with the argument; after {@code --} everything is an argument.
 */
public final class Arguments {
    private final Map<String, String> options = new HashMap<>();
    private @Nullable String argument;

    private Arguments() {}

    /**
     * Reads the words of a call.
     *
     * @throws UsageException if they do not fit the syntax
     */
    public static Arguments read(Syntax syntax, List<String> words) {
        Arguments arguments = new Arguments();
        List<String> plain = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("--")) {
                plain.addAll(words.subList(i + 1, words.size()));
                break;
            }
            if (word.length() > 1 && word.startsWith("-")) {
                i += arguments.readOption(syntax, words, i, plain);
            } else {
                plain.add(word);
            }
        }
        if (!arguments.help()) {
            arguments.take(syntax, plain);
        }
        return arguments;
    }

    /** Whether only the help is wanted. */
    public boolean help() {
        return flag("--help");
    }

    /** The argument, or {@code otherwise}. */
    public String argument(String otherwise) {
        return argument == null ? otherwise : argument;
    }

    /** Whether an option was given. */
    public boolean flag(String option) {
        return options.containsKey(option);
    }

    /** The value of an option. */
    public Optional<String> value(String option) {
        return Optional.ofNullable(options.get(option));
    }

    /** The value of an option that is a duration within {@code [shortest, 365 days]}. */
    public Optional<Duration> duration(String option, Duration shortest) {
        String text = options.get(option);
        if (text == null) {
            return Optional.empty();
        }
        return Optional.of(Durations.read(option, text, shortest));
    }

    /** Reads the option at {@code index} and says how many words its value took. */
    private int readOption(Syntax syntax, List<String> words, int index, List<String> plain) {
        String word = words.get(index);
        int equals = word.indexOf('=');
        String name = equals < 0 ? word : word.substring(0, equals);
        if (syntax.takesCommand() && plain.size() > 1) {
            // An option of a command that was written without -- before it.
            throw usage(
                    syntax,
                    "'" + plain.get(1) + "' stands before --: write -- before the command, as in: holdfast "
                            + syntax.name() + " " + plain.get(0) + " -- " + plain.get(1) + " " + word);
        }
        Syntax.Option option = find(syntax, name.equals("-h") ? "--help" : name);
        if (options.containsKey(option.name())) {
            throw usage(syntax, "option " + option.name() + " was given twice: give it once");
        }
        if (!option.takesValue()) {
            if (equals >= 0) {
                throw usage(syntax, "option " + option.name() + " takes no value, but got '" + word + "'");
            }
            options.put(option.name(), "");
            return 0;
        }
        if (equals >= 0) {
            options.put(option.name(), word.substring(equals + 1));
            return 0;
        }
        if (index + 1 == words.size() || words.get(index + 1).equals("--")) {
            throw usage(syntax, "option " + option.name() + " needs a value: " + option.name() + " " + option.label());
        }
        options.put(option.name(), words.get(index + 1));
        return 1;
    }

    private static Syntax.Option find(Syntax syntax, String name) {
        for (Syntax.Option option : syntax.options()) {
            if (option.name().equals(name)) {
                return option;
            }
        }
        List<String> known = syntax.options().stream().map(Syntax.Option::name).toList();
        throw usage(
                syntax,
                "unknown option '" + name + "'"
                        + Suggestion.of(name, known)
                                .map(near -> ", did you mean " + near + "?")
                                .orElse(""));
    }

    private void take(Syntax syntax, List<String> plain) {
        int most = syntax.argument().isPresent() ? 1 : 0;
        if (plain.size() > most) {
            throw usage(
                    syntax,
                    syntax.takesCommand()
                            ? "'" + plain.get(most)
                                    + "' stands before --: write -- before the command, as in: holdfast "
                                    + syntax.name() + " " + plain.get(0) + " -- " + plain.get(most)
                            : "'" + plain.get(most) + "' is one argument too many");
        }
        if (!plain.isEmpty()) {
            argument = plain.get(0);
        } else if (syntax.argument().isPresent() && syntax.argument().get().required()) {
            throw usage(syntax, syntax.argument().get().label() + " is missing: holdfast " + syntax.synopsis());
        }
    }

    private static UsageException usage(Syntax syntax, String message) {
        return new UsageException(message + "; see holdfast " + syntax.name() + " --help");
    }
}
