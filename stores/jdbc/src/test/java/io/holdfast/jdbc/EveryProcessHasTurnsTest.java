package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * L12, L21: of four processes that take a lock in a loop for 50 ms each, none has three times the turns of another, and none
 * waits for longer than 5 s; without the notes one process had nearly all turns, and the others waited for 20 s. The bar,
 * twice the turns and 2 s, is the benchmark's, on an idle machine. A round in which the machine kept a process from
 * running proves nothing and is repeated.
 */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class EveryProcessHasTurnsTest {
    private static final int PROCESSES = 4;
    private static final int ROUNDS = 3;
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    /** Six hand-overs; a process that does not run for so long misses its turns by that alone. */
    private static final Duration STARVED = Duration.ofMillis(300);

    /** What one process said. */
    private record Turns(int count, long worstMillis, long starvedMillis) {}

    @TempDir
    Path folder = Path.of("");

    static Stream<Arguments> stores() {
        return Stream.of(
                store("SQLite", folder -> "sqlite:" + folder.resolve("locks.db")),
                store("PostgreSQL rows", folder -> sql(Servers.postgres().url(), "")),
                store("PostgreSQL advisory", folder -> sql(Servers.postgres().url(), "&holdfast=advisory")),
                store("PostgreSQL row lock", folder -> sql(Servers.postgres().url(), "&holdfast=rowlock")),
                store("MariaDB rows", folder -> sql(Servers.mariaDb().url(), "")),
                store("MariaDB row lock", folder -> sql(Servers.mariaDb().url(), "&holdfast=rowlock")),
                store("MySQL rows", folder -> sql(Servers.mySql().url(), "")),
                store("MySQL advisory", folder -> sql(Servers.mySql().url(), "&holdfast=advisory")));
    }

    private static Arguments store(String name, Function<Path, String> url) {
        return Arguments.of(Named.of(name, url));
    }

    private static String sql(String url, String mode) {
        return url + "&holdfast.autoCreate=true&holdfast.unflushed=accept&holdfast.table=" + Servers.table() + mode;
    }

    @ParameterizedTest
    @MethodSource("stores")
    void everyProcessHasItsTurns(Function<Path, String> store) throws Exception {
        String url = store.apply(folder);
        List<Turns> said = List.of();
        for (int round = 0; round < ROUNDS; round++) {
            said = round(url, folder.resolve("go-" + round));
            int most = said.stream().mapToInt(Turns::count).max().orElse(0);
            int fewest = said.stream().mapToInt(Turns::count).min().orElse(0);
            long worst = said.stream().mapToLong(Turns::worstMillis).max().orElse(0);
            boolean fair = fewest > 0 && most <= 3 * fewest && worst <= LONGEST_WAIT.toMillis();
            boolean starved = said.stream().anyMatch(turns -> turns.starvedMillis > STARVED.toMillis());
            if (fair || !starved) {
                assertThat(fewest).as("fewest turns, of %s", said).isPositive();
                assertThat(most).as("most turns, of %s", said).isLessThanOrEqualTo(3 * fewest);
                assertThat(worst).as("longest wait, of %s", said).isLessThanOrEqualTo(LONGEST_WAIT.toMillis());
                return;
            }
        }
        abort("the machine kept the processes from running: " + said);
    }

    private static List<Turns> round(String url, Path go) throws Exception {
        List<ChildJvm> children = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                children.add(new ChildJvm(TurnsProcess.class, url, go.toString(), Long.toString(PERIOD.toMillis())));
            }
            for (ChildJvm child : children) {
                assertThat(child.line()).isEqualTo("ready");
            }
            Files.createFile(go);
            List<Turns> said = new ArrayList<>();
            for (ChildJvm child : children) {
                long[] numbers = Arrays.stream(String.valueOf(child.line()).split(" "))
                        .mapToLong(Long::parseLong)
                        .toArray();
                said.add(new Turns((int) numbers[0], numbers[1], numbers[2]));
            }
            return said;
        } finally {
            children.forEach(ChildJvm::close);
        }
    }
}
