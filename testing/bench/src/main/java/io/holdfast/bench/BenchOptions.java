package io.holdfast.bench;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What the command line asks for.
 *
 * @param only the ids of the workloads to run; empty for all
 * @param rounds how many rounds
 * @param quick whether only the tool is tried
 * @param list whether the workloads are only listed
 * @param help whether the usage is only shown
 * @param out where the JSON goes
 */
record BenchOptions(List<String> only, int rounds, boolean quick, boolean list, boolean help, Path out) {
    static final int ROUNDS = 5;
    static final int QUICK_ROUNDS = 2;
    static final String USAGE = """
            usage: run [--only ID[,ID…]] [--rounds N] [--quick] [--out FILE] [--list] [--help]
              --only ID    run only these workloads (see --list)
              --rounds N   rounds per workload (default 5)
              --quick      2 short rounds: shows that the tool works, decides nothing
              --out FILE   where the JSON goes (default bench.json in the build folder)
              --list       show the workloads and their bars
            """;

    static BenchOptions parse(String... args) {
        List<String> only = new ArrayList<>();
        int rounds = 0;
        boolean quick = false;
        boolean list = false;
        boolean help = false;
        Path out = Path.of(System.getProperty("holdfast.bench.out", "bench.json"));
        Deque<String> rest = new ArrayDeque<>(List.of(args));
        while (!rest.isEmpty()) {
            String option = rest.remove();
            switch (option) {
                case "--only" -> only.addAll(List.of(value(option, rest).split(",")));
                case "--rounds" -> rounds = rounds(value(option, rest));
                case "--quick" -> quick = true;
                case "--list" -> list = true;
                case "--help", "-h" -> help = true;
                case "--out" -> out = Path.of(value(option, rest));
                default -> throw new IllegalArgumentException("unknown option '" + option + "'");
            }
        }
        return new BenchOptions(
                List.copyOf(only), rounds > 0 ? rounds : quick ? QUICK_ROUNDS : ROUNDS, quick, list, help, out);
    }

    /** The workloads that are wanted, in the order of {@code all}. */
    List<Workload> choose(List<Workload> all) {
        for (String id : only) {
            if (all.stream().noneMatch(workload -> workload.id().equals(id))) {
                throw new IllegalArgumentException("no workload '" + id + "'; there are "
                        + String.join(", ", all.stream().map(Workload::id).toList()));
            }
        }
        return all.stream()
                .filter(workload -> only.isEmpty() || only.contains(workload.id()))
                .toList();
    }

    private static String value(String option, Deque<String> rest) {
        if (rest.isEmpty()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return rest.remove();
    }

    private static int rounds(String text) {
        if (!text.matches("[1-9][0-9]{0,3}")) {
            throw new IllegalArgumentException("--rounds: a whole number from 1 on, but got '" + text + "'");
        }
        return Integer.parseInt(text);
    }
}
