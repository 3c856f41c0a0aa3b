package io.holdfast.cli.supervise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How the processes of a command are kept together. */
public enum Containment {
    /** The command leads a session and process group of its own: one signal reaches all that stayed in it. */
    GROUP,
    /**
     * The command stays in the process group of this process, because that one has a controlling terminal: reading it,
     * Ctrl-C and Ctrl-Z then work as without Holdfast. Its processes are found by descent and by the marker.
     */
    TREE;

    private static final Path SELF = Path.of("/proc/self/stat");

    /** The right one for this process. */
    public static Containment here() {
        try {
            String stat = Files.readString(SELF);
            // After the name in parentheses: state, parent, group, session, terminal.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return fields[4].equals("0") ? GROUP : TREE;
        } catch (IOException e) {
            throw new UnsupportedSystemException("cannot read " + SELF + ": holdfast run needs Linux with /proc", e);
        }
    }

    /** The word that the watchdog knows it by. */
    String word() {
        return this == GROUP ? "group" : "tree";
    }
}
