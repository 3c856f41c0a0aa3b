package io.holdfast.cli.input;

import java.util.Collection;
import java.util.Optional;

/** Finds the known word that is nearest to a mistyped one. */
public final class Suggestion {
    private static final int MOST_SLIPS = 2;

    private Suggestion() {}

    /** The nearest of {@code known}, if it is at most two slips away. */
    public static Optional<String> of(String typed, Collection<String> known) {
        String nearest = "";
        int fewest = MOST_SLIPS + 1;
        for (String candidate : known) {
            int slips = slips(typed, candidate);
            if (slips < fewest) {
                fewest = slips;
                nearest = candidate;
            }
        }
        return nearest.isEmpty() ? Optional.empty() : Optional.of(nearest);
    }

    /** How many letters have to be inserted, removed or replaced to get from one word to the other. */
    private static int slips(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] row = new int[to.length() + 1];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
            }
            above = row;
        }
        return above[to.length()];
    }
}
