package io.holdfast.cli;

import io.holdfast.cli.input.Syntax;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The help of one command, set by picocli: wrapped, aligned, in colour where there is a terminal. */
final class HelpPage {
    private static final int WIDTH = 100;

    private HelpPage() {}

    static String of(Syntax syntax, boolean colours) {
        return new CommandLine(spec(syntax))
                .setInterpolateVariables(false)
                .getUsageMessage(colours ? Ansi.ON : Ansi.OFF)
                .stripTrailing();
    }

    /** The syntax in picocli's terms. */
    static CommandSpec spec(Syntax syntax) {
        CommandSpec spec = CommandSpec.create().name("holdfast " + syntax.name());
        spec.usageMessage()
                .width(WIDTH)
                .customSynopsis("holdfast " + syntax.synopsis())
                .description("", literal(syntax.description()), "")
                .footerHeading("%nExamples:%n")
                .footer(syntax.examples().stream().map(HelpPage::literal).toArray(String[]::new))
                .sortOptions(false);
        syntax.argument()
                .ifPresent(argument -> spec.addPositional(PositionalParamSpec.builder()
                        .paramLabel(argument.label())
                        .description(literal(argument.description()))
                        .build()));
        for (Syntax.Option option : syntax.options()) {
            spec.addOption(OptionSpec.builder(option.name())
                    .type(option.label().isEmpty() ? boolean.class : String.class)
                    .paramLabel(option.label())
                    .description(literal(option.description()))
                    .build());
        }
        spec.parser().separator(" ");
        return spec;
    }

    /** picocli reads its texts as format strings. */
    private static String literal(String text) {
        return text.replace("%", "%%");
    }
}
