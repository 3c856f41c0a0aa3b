package io.holdfast.cli.command;

import io.holdfast.LockOptions;
import io.holdfast.spi.StoreUrl;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** The pieces that command syntax is made of. */
final class Syntax {
    private Syntax() {}

    /** A command with {@code --help} and {@code --debug}; {@code examples} end its help. */
    static CommandSpec command(String name, String synopsis, String description, String... examples) {
        CommandSpec spec = CommandSpec.create().name("holdfast " + name);
        spec.usageMessage()
                .customSynopsis("holdfast " + synopsis)
                .description("", description, "")
                .footerHeading("%nExamples:%n")
                .footer(examples)
                .sortOptions(false);
        return spec;
    }

    /** The options that every command ends with. */
    static CommandSpec finish(CommandSpec spec) {
        return spec.addOption(flag("--debug", "Shows where an error came from."))
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Shows this help.")
                        .build());
    }

    /** An option with a value. */
    static OptionSpec option(String name, String label, String... description) {
        return OptionSpec.builder(name)
                .type(String.class)
                .paramLabel(label)
                .arity("1")
                .description(description)
                .build();
    }

    /** An option without one. */
    static OptionSpec flag(String name, String... description) {
        return OptionSpec.builder(name)
                .type(boolean.class)
                .arity("0")
                .description(description)
                .build();
    }

    /** The argument. */
    static PositionalParamSpec argument(String label, boolean required, String... description) {
        return PositionalParamSpec.builder()
                .index("0")
                .type(String.class)
                .paramLabel(label)
                .arity(required ? "1" : "0..1")
                .required(required)
                .description(description)
                .build();
    }

    /** The value of an option. */
    static Optional<String> value(ParseResult parsed, String option) {
        return parsed.hasMatchedOption(option) ? Optional.of(parsed.matchedOptionValue(option, "")) : Optional.empty();
    }

    /** The value of an option that is a duration within {@code [shortest, 365 days]}. */
    static Optional<Duration> duration(ParseResult parsed, String option, Duration shortest) {
        return value(parsed, option).map(text -> {
            Duration duration = StoreUrl.parseDuration(option, text);
            if (duration.compareTo(shortest) < 0 || duration.compareTo(LockOptions.LONGEST) > 0) {
                throw new UsageException(option + " " + text + ": give a duration between "
                        + (shortest.isZero() ? "0s" : shortest.toMillis() + "ms") + " and 365d");
            }
            return duration;
        });
    }
}
