package io.holdfast.cli.supervise;

import io.holdfast.Holder;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The runs that this process is part of, as their marker in its environment tells. */
public final class OuterRuns {
    private static final Pattern MARKER = Pattern.compile("run-([0-9]+)-([0-9]+)-");

    private OuterRuns() {}

    /** Whether this process is part of a run, or was started by one. */
    public static boolean exist() {
        return !marker().isEmpty();
    }

    /**
     * Whether {@code holder} is a run that ends only after this process: its JVM is an ancestor of this one. A process
     * that such a run left behind is not: the run may end first.
     */
    public static boolean include(Holder holder) {
        Set<Long> ancestors = ancestors();
        Matcher markers = MARKER.matcher(marker());
        while (markers.find()) {
            if (holder.covers(Long.parseLong(markers.group(2)))
                    && ancestors.contains(Long.parseLong(markers.group(1)))) {
                return true;
            }
        }
        return false;
    }

    /** The entry of the process {@code pid} that holds under {@code token}: no two runs have the same. */
    static String marker(long pid, long token) {
        return "run-" + pid + "-" + token + "-";
    }

    private static String marker() {
        return Optional.ofNullable(System.getenv(RunEnvironment.RUN)).orElse("");
    }

    private static Set<Long> ancestors() {
        Set<Long> ancestors = new HashSet<>();
        Optional<ProcessHandle> process = ProcessHandle.current().parent();
        while (process.isPresent() && ancestors.add(process.get().pid())) {
            process = process.get().parent();
        }
        return ancestors;
    }
}
