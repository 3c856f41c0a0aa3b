package io.holdfast.redlock.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What safety rests on: it belongs to the deployment and not to a client (U33). Every node keeps it; a client that has
 * something else is refused by the node, and by itself before it sends anything that could write.
 *
 * @param maxTtlMillis the longest TTL plus lock-delay; null where a node keeps none
 * @param fsync {@code always} or {@code everysec}; null where a node keeps none
 * @param quarantine {@code on} or {@code off}; null where a node keeps none
 */
public record DeploymentSettings(
        @Nullable String maxTtlMillis,
        @Nullable String fsync,
        @Nullable String quarantine) {
    private static final String[] OPTIONS = {"maxTtl", "fsync", "quarantine"};

    public static DeploymentSettings of(RedlockConfig config) {
        return new DeploymentSettings(
                Long.toString(config.maxTtl().toMillis()),
                config.fsyncAlways() ? "always" : "everysec",
                config.quarantine() ? "on" : "off");
    }

    /** The fields of a node's hash, in the order of the components. */
    public static String[] fields() {
        return new String[] {"max", "fsync", "quarantine"};
    }

    /** As a node says it in every answer. */
    public static DeploymentSettings parse(String text) {
        String[] words = text.split(",", -1);
        return new DeploymentSettings(words[0], words[1], words[2]);
    }

    /** In the order and form of the scripts' arguments. */
    public List<@Nullable String> values() {
        List<@Nullable String> values = new ArrayList<>();
        values.add(maxTtlMillis);
        values.add(fsync);
        values.add(quarantine);
        return values;
    }

    /** How a node's settings differ from those of this client, for a message; empty if they agree or it keeps none. */
    public String conflictWith(DeploymentSettings kept) {
        List<String> conflicts = new ArrayList<>();
        for (int i = 0; i < OPTIONS.length; i++) {
            String theirs = kept.values().get(i);
            String ours = values().get(i);
            if (theirs != null && !theirs.equals(ours)) {
                String unit = i == 0 ? "ms" : "";
                conflicts.add(OPTIONS[i] + '=' + theirs + unit + " for the whole deployment, but this client has "
                        + OPTIONS[i] + '=' + ours + unit);
            }
        }
        return conflicts.isEmpty() ? "" : "keeps " + String.join("; and ", conflicts);
    }
}
