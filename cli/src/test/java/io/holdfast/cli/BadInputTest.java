package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.cli.input.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Wrong input gives one line that names the value and the remedy, exit code 2, and locks nothing. */
@Tag("quick")
class BadInputTest {
    private static final String LONG_NAME = "n".repeat(513);

    @TempDir
    Path folder;

    static Stream<Arguments> badCalls() {
        return Stream.of(
                call("lock name is empty", "run", "", "--", "true"),
                call("513 characters", "run", LONG_NAME, "--", "true"),
                call("U+0007", "run", "bell\u0007", "--", "true"),
                call("holdfast run x -- ", "run", "x"),
                call("holdfast run x -- ", "run", "x", "--"),
                call("NAME", "run", "--", "true"),
                call("'y'", "run", "x", "y", "--", "true"),
                call("write -- before the command", "run", "x", "echo", "hi"),
                call("holdfast run x -- ls -la", "run", "x", "ls", "-la"),
                call("write -- before the command", "run", "x", "sh", "--version"),
                call("the command is empty", "run", "x", "--", ""),
                call("'-5s'", "run", "x", "--wait", "-5s", "--", "true"),
                call("'soon'", "run", "x", "--wait", "soon", "--", "true"),
                call("--wait 400d", "run", "x", "--wait", "400d", "--", "true"),
                call("99999999999999d", "run", "x", "--wait", "99999999999999d", "--", "true"),
                call("--wait 999999999999999999s", "run", "x", "--wait", "999999999999999999s", "--", "true"),
                call("between 0s and 365d", "run", "x", "--wait", "366.5d", "--", "true"),
                call("'1.s'", "run", "x", "--wait", "1.s", "--", "true"),
                call("lock name ' ' is blank", "run", " ", "--", "true"),
                call("lock name ' ' is blank", "show", " "),
                call("lock name ' ' is blank", "release", " ", "--force"),
                call("--ttl 0s", "run", "x", "--ttl", "0s", "--", "true"),
                call("between 1s and 365d", "run", "x", "--ttl", "10ms", "--", "true"),
                call("PT-1S", "run", "x", "--ttl", "PT-1S", "--", "true"),
                call("raise --ttl", "run", "x", "--grace", "11s", "--", "true"),
                call("'-1d'", "run", "x", "--lock-delay", "-1d", "--", "true"),
                call("label", "run", "x", "--label", "a\u001b[31m", "--", "true"),
                call("label", "run", "x", "--label", "l".repeat(300), "--", "true"),
                call("--ttl", "run", "x", "--ttl", "2s", "--ttl", "3s", "--", "true"),
                call("--ttl", "run", "x", "--ttl", "--", "true"),
                call("did you mean --ttl", "run", "x", "--tll", "2s", "--", "true"),
                call("namespace 'start?'", "ls", "--namespace", "start\u0001"),
                call("sequencer 'rubbish'", "check", "rubbish"),
                call("cut off", "check", "hf1.x.17"),
                call("version 9", "check", "hf9.x.17.eA.abcd"),
                call("HOLDFAST_SEQUENCER", "check"),
                call("HOLDFAST_SEQUENCER", "admit", "resource"),
                call("resource is empty", "admit", "", "--sequencer", "hf1.x.17.eA"),
                call("--force", "release", "x"),
                call("--limit '0'", "ls", "--limit", "0"),
                call("--limit 'many'", "ls", "--limit", "many"),
                call("U+0001", "ls", "a\u0001"),
                call("lock name is empty", "show", ""),
                call("'-1s'", "watch", "--for", "-1s"),
                call("--interval 1ms", "watch", "--interval", "1ms", "--for", "1s"),
                call("did you mean run", "rnu", "x"),
                call("did you mean run", "lock", "x"),
                call("did you mean release", "unlock", "x"),
                call("did you mean show", "status", "x"));
    }

    /** A call that is wrong, and what the message has to name. */
    private static Arguments call(String names, String... args) {
        return Arguments.of(names, args);
    }

    @ParameterizedTest(name = "{1} names {0}")
    @MethodSource("badCalls")
    void isNamedInOneLineAndLocksNothing(String names, String[] args) {
        Path file = folder.resolve("locks.db");
        List<String> call = new ArrayList<>(List.of(args));
        call.add(1, "--store");
        call.add(2, "sqlite:" + file);
        Invocation invocation = Invocation.of(call.toArray(String[]::new));
        assertRefused(invocation, names);
        assertThat(Files.exists(file) ? locksIn(file) : List.of()).isEmpty();
    }

    @Test
    void storesThatCannotBeUsedAreNamedWithoutTheirPasswords() throws IOException {
        Path text =
                Files.writeString(folder.resolve("text.txt"), "this is no database, it is a text that someone wrote");
        assertRefused(show("sqlit:/tmp/x.db"), "unknown scheme 'sqlit'");
        assertRefused(show("just-a-name"), "needs a scheme");
        assertRefused(
                Invocation.of("run", "x", "--store", "sqlite:" + folder.resolve("l.db") + "?bogus=1", "--", "true"),
                "bogus");
        assertRefused(show("sqlite:" + folder), folder.toString());
        assertRefused(show("sqlite:" + text), text.toString());
        assertRefused(show("sqlite:" + text.resolve("below/locks.db")), text.toString());
        assertRefused(show("postgres://me:hunter2@db/app"), "did you mean jdbc:postgresql:?");
        assertRefused(show("zookeeper://z1"), "did you mean zk:?");
        assertRefused(show("rediss-clutser://n1"), "did you mean rediss-cluster:?");
        assertRefused(show("http://locks"), "unknown scheme 'http'");
        assertRefused(show("jdbc:postgresql://me:hunter2@db/app"), "?user=…&password=…");
        assertRefused(show("sqlite:~other/locks.db"), "only ~/ is known");
        assertRefused(show(""), "--store is empty");
        assertRefused(show("  "), "--store is empty");
        assertRefused(Invocation.of("run", "x", "--store", "memory:", "--", "true"), "exclude no other command");
        for (String url : List.of("postgress://me:hunter2@db/app", "postgress://db/app?password=hunter2")) {
            Invocation invocation = show(url);
            assertRefused(invocation, "postgress");
            assertThat(invocation.err()).doesNotContain("hunter2");
        }
    }

    @Test
    void nothingAtAllShowsTheOverviewAndIsAnError() {
        Invocation invocation = Invocation.of();
        assertThat(invocation.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(invocation.out()).contains("Usage: holdfast COMMAND", "run NAME -- COMMAND");
    }

    private static Invocation show(String store) {
        return Invocation.of("show", "x", "--store", store);
    }

    private static void assertRefused(Invocation invocation, String names) {
        assertThat(invocation.exitCode()).as(invocation.err()).isEqualTo(ExitCode.USAGE);
        assertThat(invocation.err())
                .startsWith("holdfast: ")
                .hasLineCount(1)
                .contains(names)
                .doesNotContain("\tat ", " at io.", "\u001b", "\u0007");
        assertThat(invocation.out()).isEmpty();
    }

    private static List<?> locksIn(Path file) {
        try (Holdfast holdfast = Holdfast.open("sqlite:" + file)) {
            return holdfast.list("", 10);
        }
    }
}
