package io.holdfast.sqlite;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Granted;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import io.holdfast.tck.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes that contend for one lock file, and real kills. */
@Tag("slow")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class ManyProcessesTest {
    private static final int PROCESSES = 4;
    private static final int THREADS = 8;
    private static final int TURNS = 25;

    @TempDir
    Path folder = Path.of("");

    @Test
    void eightThreadsInEachOfFourProcessesIncrementACounterWithoutLosingOne() throws Exception {
        Path counter = Files.writeString(folder.resolve("counter"), "0");
        String url = "sqlite:" + folder.resolve("locks.db") + "?pauseMin=1ms&pauseRandom=4ms";
        List<ChildJvm> children = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                children.add(new ChildJvm(
                        CountingProcess.class,
                        url,
                        counter.toString(),
                        Integer.toString(THREADS),
                        Integer.toString(TURNS)));
            }
            for (ChildJvm child : children) {
                assertThat(child.exitCode(TestTime.scaled(Duration.ofMinutes(2))))
                        .isZero();
            }
        } finally {
            children.forEach(ChildJvm::close);
        }
        assertThat(Files.readString(counter)).isEqualTo(Integer.toString(PROCESSES * THREADS * TURNS));
    }

    @Test
    void killedProcessesLeaveAUsableFileRisingTokensAndNoLockForLongerThanItsTtl() throws Exception {
        Lockfile file = new Lockfile(folder.resolve("locks.db"));
        Random random = new Random(7);
        Map<String, Long> highest = new HashMap<>();
        for (int round = 0; round < 4; round++) {
            killSome(file, random, highest);
            assertThat(file.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"))
                    .isZero();
            try (EmbeddedLockStore store = file.openReal()) {
                ContractClient survivor = new ContractClient(store);
                for (String name : List.copyOf(highest.keySet())) {
                    Granted granted = (Granted) await().pollInterval(Duration.ofMillis(10))
                            .atMost(TestTime.scaled(DyingProcess.TTL.plusSeconds(2)))
                            .until(() -> tried(survivor, name), Granted.class::isInstance);
                    assertThat(granted.token()).isGreaterThan(highest.get(name));
                    highest.put(name, granted.token());
                }
            }
        }
        assertThat(highest).hasSize(DyingProcess.NAMES);
    }

    private static AcquireResult tried(ContractClient client, String name) throws InterruptedException {
        return client.tryAcquire(exclusive(name).ttl(Duration.ofMillis(100)).claim());
    }

    /** Starts three, and kills each somewhere in its work. */
    private static void killSome(Lockfile file, Random random, Map<String, Long> highest) throws Exception {
        List<ChildJvm> children = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                children.add(new ChildJvm(DyingProcess.class, file.path.toString(), Long.toString(random.nextLong())));
            }
            for (ChildJvm child : children) {
                int lines = 20 + random.nextInt(200);
                for (int i = 0; i < lines; i++) {
                    note(child.line(), highest);
                }
                child.kill();
                for (String line = child.line(); line != null; line = child.line()) {
                    note(line, highest);
                }
            }
        } finally {
            children.forEach(ChildJvm::close);
        }
    }

    private static void note(@org.jspecify.annotations.Nullable String line, Map<String, Long> highest) {
        assertThat(line).as("a line of a living child").isNotNull();
        String[] parts = String.valueOf(line).split(" ");
        if (parts.length == 2 && parts[1].length() == 16) { // the last line of a killed process may be cut
            highest.merge(parts[0], Long.parseLong(parts[1]), Math::max);
        }
    }
}
