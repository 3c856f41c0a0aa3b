package io.holdfast.arch;

import static io.holdfast.LockOptions.waitUpTo;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Sequencer;
import io.holdfast.fence.MemoryGuard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The Java snippet of the README is this code, letter by letter, and it runs. */
class ReadmeSnippetTest {
    private static final Pattern REGION = Pattern.compile("// README begin\n(.*?)\n *// README end", Pattern.DOTALL);
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL);

    private final MemoryGuard guard = MemoryGuard.of("stock of sku-42", "stock:sku-42");
    private final Stock pieces = new Stock();
    private final Importer importer = new Importer();
    private final Report report = new Report();
    private final List<String> log = new ArrayList<>();
    private final List<Sequencer> shippedUnder = new CopyOnWriteArrayList<>();

    @Test
    void theSnippetRunsOnTheEmbeddedStore() throws Exception {
        // README begin
        try (Holdfast holdfast = Holdfast.embedded()) { // or Holdfast.open("sqlite:/var/lib/app/locks.db")
            DistributedLock stock = holdfast.mutex("stock:sku-42");

            // LockTimeoutException if it is not free in time, LeaseLostException if the lease did not last
            stock.runHeld(waitUpTo(ofSeconds(2)), lease -> {
                guard.admit(lease.sequencer()); // first of all: marks the resource before anything is read
                pieces.takeOne();
            });

            // or hold it yourself; the TTL is for this request only
            try (Lease lease = stock.acquire(waitUpTo(ofSeconds(2)).ttl(ofMinutes(2)))) {
                lease.onLost(loss -> importer.stop());
                importer.run(lease::ensureValid);
            }

            // never waits for a holder
            boolean ran = stock.runIfFree(lease -> report.send());
            log.add(ran ? "sent" : "somebody else is sending it");

            // without blocking; the sequencer is the token as a string for others to check
            CompletableFuture<String> order =
                    stock.callHeldAsync(waitUpTo(ofSeconds(2)), lease -> ship(lease.sequencer()));
            order.thenAccept(log::add).join();

            // java.util.concurrent.locks.Lock, re-entrant
            Lock juc = stock.asLock();
            juc.lock();
            try {
                log.add("held by this thread");
            } finally {
                juc.unlock();
            }
        }
        // README end
        assertThat(pieces.left).isEqualTo(4);
        assertThat(importer.batches).isEqualTo(3);
        assertThat(importer.stopped).isFalse();
        assertThat(report.sent).isEqualTo(1);
        assertThat(log).containsExactly("sent", "shipped", "held by this thread");
        assertThat(guard.marks().any()).as("marked by the first grant").isPositive();
        assertThat(shippedUnder).singleElement().satisfies(sequencer -> {
            assertThat(sequencer.lockName()).isEqualTo("stock:sku-42");
            assertThat(sequencer.token())
                    .as("a later grant")
                    .isGreaterThan(guard.marks().any());
        });
    }

    @Test
    void theReadmeShowsWhatRuns() throws IOException {
        Path root = Repository.root();
        Path source = root.resolve("testing/arch/src/test/java/io/holdfast/arch/ReadmeSnippetTest.java");
        String compiled = only(REGION, Files.readString(source)).stripIndent();

        assertThat(only(BLOCK, Files.readString(root.resolve("README.md")))).isEqualTo(compiled);
    }

    private static String only(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as("%s", pattern).isTrue();
        String found = matcher.group(1);
        assertThat(matcher.find()).as("a second %s", pattern).isFalse();
        return found;
    }

    private String ship(Sequencer sequencer) {
        shippedUnder.add(sequencer);
        return "shipped";
    }

    private static final class Report {
        private int sent;

        void send() {
            sent++;
        }
    }

    private static final class Stock {
        private int left = 5;

        void takeOne() {
            left--;
        }
    }

    private static final class Importer {
        private int batches;
        private volatile boolean stopped;

        void run(Runnable beforeEachBatch) {
            while (batches < 3 && !stopped) {
                beforeEachBatch.run();
                batches++;
            }
        }

        void stop() {
            stopped = true;
        }
    }
}
