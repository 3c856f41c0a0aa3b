package io.holdfast.bench.workloads;

import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Map;

/** The least that a durable hand-off costs PostgreSQL: one row, flushed. Nobody is told, so nothing can be checked. */
record CommittedUpdate() implements Contestant {
    static final String NAME = "raw committed update";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Measurement measure(Run run) throws Exception {
        try (PostgresServer server = PostgresServer.open();
                Connection connection = server.connect()) {
            server.execute("CREATE TABLE one (id int PRIMARY KEY, value bigint)");
            server.execute("INSERT INTO one VALUES (1, 0)");
            try (PreparedStatement update =
                    connection.prepareStatement("UPDATE one SET value = value + 1 WHERE id = 1")) {
                Latencies times = new Latencies();
                long warm = System.nanoTime() + run.warmUp().toNanos();
                long end = warm + run.measure().toNanos();
                while (times.count() == 0 || System.nanoTime() - end < 0) {
                    long before = System.nanoTime();
                    update.executeUpdate();
                    if (before - warm > 0) {
                        times.add(System.nanoTime() - before);
                    }
                }
                return times.describe("", new Measurement(Map.of(), List.of()));
            }
        }
    }
}
