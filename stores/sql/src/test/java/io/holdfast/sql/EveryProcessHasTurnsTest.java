package io.holdfast.sql;

import io.holdfast.tck.process.ProcessTurns;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** L12, L21, see {@link ProcessTurns}. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class EveryProcessHasTurnsTest {
    @TempDir
    Path folder = Path.of("");

    static Stream<Arguments> stores() {
        return Stream.of(
                store("PostgreSQL rows", () -> sql(Servers.postgres().url(), "")),
                store("PostgreSQL advisory", () -> sql(Servers.postgres().url(), "&holdfast=advisory")),
                store("PostgreSQL row lock", () -> sql(Servers.postgres().url(), "&holdfast=rowlock")),
                store("MariaDB rows", () -> sql(Servers.mariaDb().url(), "")),
                store("MariaDB row lock", () -> sql(Servers.mariaDb().url(), "&holdfast=rowlock")),
                store("MySQL rows", () -> sql(Servers.mySql().url(), "")),
                store("MySQL advisory", () -> sql(Servers.mySql().url(), "&holdfast=advisory")));
    }

    private static Arguments store(String name, Supplier<String> url) {
        return Arguments.of(Named.of(name, url));
    }

    private static String sql(String url, String mode) {
        return url + "&holdfast.autoCreate=true&holdfast.unflushed=accept&holdfast.table=" + Servers.table() + mode;
    }

    @ParameterizedTest
    @MethodSource("stores")
    void everyProcessHasItsTurns(Supplier<String> url) throws Exception {
        ProcessTurns.assertShared(url.get(), folder);
    }
}
