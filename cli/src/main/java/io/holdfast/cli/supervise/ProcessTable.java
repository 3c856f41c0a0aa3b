package io.holdfast.cli.supervise;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The processes of this machine at one moment, read from {@code /proc}: one read for each. Zombies are left out. */
final class ProcessTable {
    private static final File PROC = new File("/proc");
    private static final int LONGEST_STAT = 2048;

    private final Map<Long, Row> rows;

    /** One process. Two rows with the same id and start are the same process, whatever became of its parent or group. */
    record Row(long pid, long parent, long group, long session, long start) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Row row && row.pid == pid && row.start == start;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(pid) * 31 + Long.hashCode(start);
        }
    }

    private ProcessTable(Map<Long, Row> rows) {
        this.rows = rows;
    }

    static ProcessTable read() {
        String[] names = PROC.list();
        if (names == null) {
            throw new UnsupportedSystemException("cannot read /proc: holdfast run needs Linux with /proc", null);
        }
        Map<Long, Row> rows = new LinkedHashMap<>();
        byte[] buffer = new byte[LONGEST_STAT];
        for (String name : names) {
            if (Character.isDigit(name.charAt(0))) {
                read(name, buffer).ifPresent(row -> rows.put(row.pid(), row));
            }
        }
        return new ProcessTable(rows);
    }

    /** The process that has this id now; none if it has ended. */
    static Optional<Row> find(long pid) {
        return read(Long.toString(pid), new byte[LONGEST_STAT]);
    }

    /** This process. */
    static Row self() {
        return read("self", new byte[LONGEST_STAT])
                .orElseThrow(() -> new UnsupportedSystemException(
                        "cannot read /proc/self/stat: holdfast run needs Linux with /proc", null));
    }

    /** Whether this process has not ended yet. */
    static boolean isAlive(Row process) {
        return find(process.pid()).filter(process::equals).isPresent();
    }

    /** Whether {@code text} is in the environment that the process was started with; false if that cannot be read. */
    static boolean environmentContains(Row process, String text) {
        try (FileInputStream file = new FileInputStream("/proc/" + process.pid() + "/environ")) {
            return new String(file.readAllBytes(), StandardCharsets.ISO_8859_1).contains(text);
        } catch (IOException e) {
            return false;
        }
    }

    /** Those that {@code root} accepts, and all their descendants. */
    List<Row> families(Predicate<Row> root) {
        Map<Long, Row> members = new LinkedHashMap<>();
        Map<Long, List<Row>> children = new HashMap<>();
        for (Row row : rows.values()) {
            children.computeIfAbsent(row.parent(), parent -> new ArrayList<>()).add(row);
        }
        List<Row> reached = new ArrayList<>(rows.values().stream().filter(root).toList());
        for (int i = 0; i < reached.size(); i++) {
            Row row = reached.get(i);
            if (members.put(row.pid(), row) == null) {
                reached.addAll(children.getOrDefault(row.pid(), List.of()));
            }
        }
        return new ArrayList<>(members.values());
    }

    private static Optional<Row> read(String name, byte[] buffer) {
        int length;
        try (FileInputStream file = new FileInputStream("/proc/" + name + "/stat")) {
            length = file.read(buffer);
        } catch (IOException e) {
            // It ended meanwhile.
            return Optional.empty();
        }
        if (length <= 0) {
            return Optional.empty();
        }
        String stat = new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
        // The name is in parentheses and may contain anything. After it: state, parent, group, session, …, start
        // (20th).
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        if (fields.length < 20 || fields[0].equals("Z") || fields[0].equals("X")) {
            return Optional.empty();
        }
        return Optional.of(new Row(
                Long.parseLong(stat.substring(0, stat.indexOf(' '))),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]),
                Long.parseLong(fields[19])));
    }
}
