package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;

/**
 * A file to which commands append a line when they start, when they are asked to end, and many times a second while
 * they live. Appending is atomic, so the order of the lines is the order of what happened.
 */
record Beats(Path file) {
    /** A script that beats as {@code name} until it is killed; TERM only makes it write a line. */
    String stubborn(String name) {
        return "trap '" + line(name, "term") + "' TERM; " + forever(name);
    }

    /** A script that beats as {@code name} until TERM. */
    String obedient(String name) {
        return "trap '" + line(name, "term") + "; exit 0' TERM; " + forever(name);
    }

    /** A script that beats as {@code name} for a moment. */
    String brief(String name) {
        return line(name, "start") + "; for i in 1 2 3 4 5; do " + line(name, "beat") + "; sleep 0.05; done; "
                + line(name, "end");
    }

    private String forever(String name) {
        return line(name, "start") + "; while :; do " + line(name, "beat") + "; sleep 0.05; done";
    }

    private String line(String name, String what) {
        return "echo " + name + " " + what + " >>" + file;
    }

    List<String> lines() {
        return Spawned.text(file).lines().toList();
    }

    Beats awaitLine(String line) {
        await().atMost(TimeScale.patience())
                .untilAsserted(() -> assertThat(lines()).contains(line));
        return this;
    }

    /** Nothing of {@code first} happened once {@code second} had started. */
    void assertNoOverlap(String first, String second) {
        List<String> lines = lines();
        assertThat(lines).contains(first + " start", second + " start");
        int start = lines.indexOf(second + " start");
        assertThat(lines.subList(start, lines.size()))
                .as("after '%s' had started", second)
                .noneMatch(line -> line.startsWith(first + " "));
    }

    /** {@code name} is dead: it does not beat any more. */
    void assertSilent(String name) {
        long before = count(name);
        await().pollDelay(TimeScale.seconds(0.5)).atMost(TimeScale.patience()).until(() -> true);
        assertThat(count(name)).as("lines of '%s'", name).isEqualTo(before);
    }

    private long count(String name) {
        return lines().stream().filter(line -> line.startsWith(name + " ")).count();
    }
}
