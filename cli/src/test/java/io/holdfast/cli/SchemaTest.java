package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaTest {
    @TempDir
    Path folder;

    @Test
    void whatItPrintsIsWhatTheStoreNeeds() throws Exception {
        try (PostgresServer server = PostgresServer.open()) {
            String store = server.url();
            try (Spawned tooEarly = Spawned.holdfast(folder, store, "run", "x", "--", "true")) {
                assertThat(tooEarly.exitCode()).isEqualTo(2);
                assertThat(tooEarly.err()).contains("holdfast schema");
            }

            Invocation printed = Invocation.of("schema", "--store", store);
            assertThat(printed.exitCode()).as(printed.err()).isZero();
            try (Connection connection = server.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute(printed.out());
                statement.execute(printed.out());
            }

            try (Spawned run = Spawned.holdfast(folder, store, "run", "x", "--", "true")) {
                assertThat(run.exitCode()).as(run.err()).isZero();
            }
        }
    }

    @Test
    void migrationToolsGetTheirForm() {
        Invocation plain = Invocation.of("schema", "--store", "jdbc:postgresql://db/app", "--for", "flyway");
        assertThat(plain.out()).startsWith("-- Tables of Holdfast").contains("holdfast_lock", "holdfast_fence");
        Invocation changes = Invocation.of("schema", "--store", "jdbc:postgresql://db/app", "--for", "liquibase");
        assertThat(changes.out()).startsWith("--liquibase formatted sql").contains(plain.out());
    }

    @Test
    void anotherStoreOrToolIsBadInput() {
        assertThat(Invocation.of("schema", "--store", "redis://cache")).satisfies(run -> {
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains("redis://cache", "jdbc:postgresql");
        });
        assertThat(Invocation.of("schema", "--store", "jdbc:postgresql://db/app?password=geheim", "--for", "ant"))
                .satisfies(run -> {
                    assertThat(run.exitCode()).isEqualTo(2);
                    assertThat(run.err()).contains("'ant'").doesNotContain("geheim");
                });
        assertThat(Invocation.of("schema", "--store", "jdbc:oracle:thin:@db").exitCode())
                .isEqualTo(2);
    }
}
