package io.holdfast.cli.supervise;

import io.holdfast.Lease;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the command finds in its environment. */
public final class RunEnvironment {
    /** The name of the lock. */
    public static final String LOCK = "HOLDFAST_LOCK";

    /** The fencing token. */
    public static final String TOKEN = "HOLDFAST_TOKEN";

    /** The sequencer, which {@code holdfast admit} takes. */
    public static final String SEQUENCER = "HOLDFAST_SEQUENCER";

    /** The namespace, which every subcommand takes. */
    public static final String NAMESPACE = "HOLDFAST_NAMESPACE";

    /** The ids of the runs that a process belongs to, the outermost first: how the watchdog knows its own. */
    static final String RUN = "HOLDFAST_RUN";

    /** How the launcher says what {@code LC_ALL} was before it chose an encoding for Java. */
    private static final String LOCALE_BEFORE = "HOLDFAST_LC_ALL";

    /** How the launcher says where a link to itself is. */
    private static final String LAUNCHER_FOLDER = "holdfast.bin";

    private static final String UNSET = "unset";

    private RunEnvironment() {}

    static void fill(Map<String, String> environment, Lease lease, String marker, Map<String, String> more) {
        environment.put(LOCK, lease.lockName());
        environment.put(TOKEN, Long.toString(lease.token()));
        environment.put(SEQUENCER, lease.sequencer().text());
        environment.putAll(more);
        @Nullable String locale = environment.remove(LOCALE_BEFORE);
        if (UNSET.equals(locale)) {
            environment.remove("LC_ALL");
        } else if (locale != null) {
            environment.put("LC_ALL", locale);
        }
        // Last, so that it hides no other program: a script under run may call holdfast whatever its PATH is.
        @Nullable String folder = System.getProperty(LAUNCHER_FOLDER);
        @Nullable String path = environment.get("PATH");
        if (folder != null && path != null && !(":" + path + ":").contains(":" + folder + ":")) {
            environment.put("PATH", path + ":" + folder);
        }
        @Nullable String outer = environment.get(RUN);
        environment.put(RUN, outer == null || outer.isEmpty() ? marker : outer + ":" + marker);
    }
}
