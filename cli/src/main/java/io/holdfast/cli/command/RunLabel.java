package io.holdfast.cli.command;

import io.holdfast.LockOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code run} says of itself if no {@code --label} was given: the user and the first word of the command, as in
 * {@code ops: ./report.sh}. The arguments are left out, because other users can read the label, and arguments may contain secrets.
 */
final class RunLabel {
    private static final int LONGEST = 80;

    private RunLabel() {}

    static String of(List<String> words) {
        String command = words.get(0).replaceAll("[\\p{Cc}\\p{Cs}]", "?");
        String shown = command.length() <= LONGEST ? command : "…" + command.substring(command.length() - LONGEST);
        String label = user() + shown;
        return label.length() <= LockOptions.LONGEST_LABEL ? label : shown;
    }

    /** Java says "?" for a user that the user database does not know. */
    private static String user() {
        @Nullable String name = System.getProperty("user.name");
        return name == null || name.equals("?") ? "" : name.replaceAll("[\\p{Cc}\\p{Cs}]", "?") + ": ";
    }
}
