package io.holdfast.bench;

import static java.util.stream.Collectors.joining;

import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the command line asks for.
 *
 * @param only which workloads to run: ids, beginnings of ids or patterns with {@code *}; empty for all
 * @param rounds how many rounds
 * @param quick whether only the tool is tried
 * @param seconds for how long a contestant is measured in a round, instead of what its workload says; 0 for that
 * @param list whether the workloads are only listed
 * @param help whether the usage is only shown
 * @param out where the JSON goes
 */
public record BenchOptions(
        List<String> only, int rounds, boolean quick, int seconds, boolean list, boolean help, Path out) {
    public static final int ROUNDS = 5;
    public static final int QUICK_ROUNDS = 2;
    public static final String USAGE = """
            Measures Holdfast side by side with raw commands and with other lock libraries, on servers that it starts and
            ends itself.

            usage: holdfast bench [--only ID[,ID…]] [--rounds N] [--seconds N] [--quick] [--out FILE]
              --only ID     only these workloads: an id, the beginning of ids, or a pattern as 'redis-*'
              --rounds N    rounds per workload (default 5)
              --seconds N   measure each contestant for N seconds a round, after as long a warm-up, but at most for as long
                            as its workload says; workloads that need their own time (renewals, recovery) keep it
              --quick       2 short rounds: shows that the tool works; its numbers are not results
              --out FILE    where the JSON goes (default bench.json in the build folder)
              --list        show the workloads
              --help        show this

            examples:
              holdfast bench --quick --only hot-name                   does it work here? some seconds
              holdfast bench --only 'redis-*' --out redis.json         all of Redis
              holdfast bench --only '*-hand-off-50ms'                  one question in every store
              holdfast bench --only '*-hot-name' --seconds 2           the same, short

            Each line is a measurement; a Markdown table comes at the end. BROKEN is a contestant that let two in or
            granted a token that did not grow, however fast. Ctrl-C ends everything that was started and keeps the JSON
            of the workloads so far. A quiet machine gives better numbers.
            Exit status: 0 measured; 1 a contestant was broken or failed; 2 wrong command line.
            """;

    public static BenchOptions parse(String... args) {
        List<String> only = new ArrayList<>();
        int rounds = 0;
        boolean quick = false;
        int seconds = 0;
        boolean list = false;
        boolean help = false;
        Path out = Path.of(System.getProperty("holdfast.bench.out", "bench.json"));
        Deque<String> rest = new ArrayDeque<>(List.of(args));
        while (!rest.isEmpty()) {
            String option = rest.remove();
            switch (option) {
                case "--only" -> only.addAll(List.of(value(option, rest).split(",")));
                case "--rounds" -> rounds = number(option, value(option, rest));
                case "--seconds" -> seconds = number(option, value(option, rest));
                case "--quick" -> quick = true;
                case "--list" -> list = true;
                case "--help", "-h" -> help = true;
                case "--out" -> out = Path.of(value(option, rest));
                default -> throw new IllegalArgumentException("unknown option '" + option + "'");
            }
        }
        return new BenchOptions(
                List.copyOf(only),
                rounds > 0 ? rounds : quick ? QUICK_ROUNDS : ROUNDS,
                quick,
                seconds,
                list,
                help,
                out);
    }

    /** The workloads that are wanted, in the order of {@code all}. */
    public List<Workload> choose(List<Workload> all) {
        List<String> ids = all.stream().map(Workload::id).toList();
        Set<String> chosen = new HashSet<>(only.isEmpty() ? ids : List.of());
        for (String wanted : only) {
            List<String> found = matching(wanted, ids);
            if (found.isEmpty()) {
                throw new IllegalArgumentException("no workload '" + wanted + "'; --list shows them");
            }
            chosen.addAll(found);
        }
        return all.stream().filter(workload -> chosen.contains(workload.id())).toList();
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
    public Run runOf(Workload workload) {
        return quick ? workload.quickRun() : workload.fullRun().atMost(seconds);
    }

    private static int number(String option, String text) {
        if (!text.matches("[1-9][0-9]{0,3}")) {
            throw new IllegalArgumentException(option + ": a whole number from 1 on, but got '" + text + "'");
        }
        return Integer.parseInt(text);
    }
}
