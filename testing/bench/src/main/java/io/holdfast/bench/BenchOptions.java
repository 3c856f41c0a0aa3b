package io.holdfast.bench;

import static java.util.stream.Collectors.joining;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the command line asks for.
 *
 * @param only which workloads to run: ids, beginnings of ids or patterns with {@code *}; empty for all
 * @param rounds how many rounds
 * @param bars whether only those are measured on whom a bar hangs
 * @param quick whether only the tool is tried
 * @param seconds for how long a contestant is measured in a round, instead of what its workload says; 0 for that
 * @param list whether the workloads are only listed
 * @param help whether the usage is only shown
 * @param out where the JSON goes
 * @param report the folder for the page and the JSON beside it, if wanted
 */
record BenchOptions(
        List<String> only,
        int rounds,
        boolean bars,
        boolean quick,
        int seconds,
        boolean list,
        boolean help,
        Path out,
        Optional<Path> report) {
    static final int ROUNDS = 5;
    static final int QUICK_ROUNDS = 2;
    static final String USAGE = """
            Measures Holdfast side by side with raw commands and with other lock libraries, on servers that it starts and
            ends itself, and says for each figure that the project set itself whether it is met.

            usage: holdfast bench [--only ID[,ID…]] [--rounds N] [--bars] [--seconds N] [--quick] [--report DIR]
                                  [--out FILE]
              --only ID     only these workloads: an id, the beginning of ids, or a pattern as 'redis-*'
              --rounds N    rounds per workload (default 5, which a verdict needs); what has no bar is measured in 2
                            at most
              --bars        only those who have a bar to reach and those they are compared with: more rounds in the same
                            time, where the noise of a disk needs them
              --seconds N   measure each contestant for N seconds a round, after as long a warm-up, but at most for as long
                            as its workload says; workloads that need their own time (renewals, recovery) keep it
              --quick       2 short rounds: shows that the tool works, decides nothing
              --report DIR  write index.html, a page with charts that needs no network, and bench.json there
              --out FILE    where the JSON goes (default bench.json in the build folder)
              --list        show the workloads, their bars and how long each takes
              --help        show this

            examples:
              holdfast bench --quick --only hot-name           does it work here? some seconds
              holdfast bench --only 'redis-*' --report out     all of Redis, with a page to look at
              holdfast bench --only '*-hot-name' --seconds 2   one question in every store, short
              holdfast bench --seconds 2 --report out          everything; --list says how long

            Each line is a measurement; the tables come at the end. A bar is MET if every round reaches it, MISSED if none
            does, UNDECIDED in between. BROKEN is who let two in or whose token went back, however fast. Ctrl-C ends
            everything that was started and keeps what was measured. A quiet machine gives better numbers.
            Exit status: 0 measured, whatever the verdicts; 1 a contestant was broken or failed; 2 wrong command line.
            """;

    static BenchOptions parse(String... args) {
        List<String> only = new ArrayList<>();
        int rounds = 0;
        boolean bars = false;
        boolean quick = false;
        int seconds = 0;
        boolean list = false;
        boolean help = false;
        Optional<Path> report = Optional.empty();
        Path out = Path.of(System.getProperty("holdfast.bench.out", "bench.json"));
        Deque<String> rest = new ArrayDeque<>(List.of(args));
        while (!rest.isEmpty()) {
            String option = rest.remove();
            switch (option) {
                case "--only" -> only.addAll(List.of(value(option, rest).split(",")));
                case "--rounds" -> rounds = number(option, value(option, rest));
                case "--seconds" -> seconds = number(option, value(option, rest));
                case "--bars" -> bars = true;
                case "--quick" -> quick = true;
                case "--list" -> list = true;
                case "--help", "-h" -> help = true;
                case "--report" -> report = Optional.of(Path.of(value(option, rest)));
                case "--out" -> out = Path.of(value(option, rest));
                default -> throw new IllegalArgumentException("unknown option '" + option + "'");
            }
        }
        return new BenchOptions(
                List.copyOf(only),
                rounds > 0 ? rounds : quick ? QUICK_ROUNDS : ROUNDS,
                bars,
                quick,
                seconds,
                list,
                help,
                out,
                report);
    }

    /** The workloads that are wanted, in the order of {@code all}. */
    List<Workload> choose(List<Workload> all) {
        List<String> ids = all.stream().map(Workload::id).toList();
        Set<String> chosen = new HashSet<>(only.isEmpty() ? ids : List.of());
        for (String wanted : only) {
            List<String> found = matching(wanted, ids);
            if (found.isEmpty()) {
                throw new IllegalArgumentException("no workload '" + wanted + "'; --list shows them");
            }
            chosen.addAll(found);
        }
        return all.stream()
                .filter(workload -> chosen.contains(workload.id()))
                .<Workload>map(workload -> bars ? new Barred(workload) : workload)
                .toList();
    }

    /** The id itself, if there is one; else those that begin so, or that the pattern fits. */
    private static List<String> matching(String wanted, List<String> ids) {
        if (ids.contains(wanted)) {
            return List.of(wanted);
        }
        boolean pattern = wanted.contains("*");
        String expression = Arrays.stream((pattern ? wanted : wanted + "*").split("\\*", -1))
                .map(Pattern::quote)
                .collect(joining(".*"));
        return wanted.isEmpty()
                ? List.of()
                : ids.stream().filter(id -> id.matches(expression)).toList();
    }

    private static String value(String option, Deque<String> rest) {
        if (rest.isEmpty()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return rest.remove();
    }

    /** How a workload is measured. */
    Run runOf(Workload workload) {
        return quick ? workload.quickRun() : workload.fullRun().atMost(seconds);
    }

    /** How a workload is measured, and how often. */
    Schedule.Planned plan(Workload workload) {
        return new Schedule.Planned(workload, runOf(workload), quick ? rounds : workload.rounds(rounds));
    }

    private static int number(String option, String text) {
        if (!text.matches("[1-9][0-9]{0,3}")) {
            throw new IllegalArgumentException(option + ": a whole number from 1 on, but got '" + text + "'");
        }
        return Integer.parseInt(text);
    }
}
