package io.holdfast.bench.question;

import io.holdfast.bench.measure.Latencies;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The least that a durable hand-off costs PostgreSQL: one row, flushed, after a pause as long as a lock is held. The pause
 * matters: processors, disk and caches are slower after it. No other client is told, so nothing can be checked.
 *
 * @param name in the report
 * @param pause before each update
 */
public record CommittedUpdate(String name, Duration pause) implements Contestant {
    public CommittedUpdate(Duration pause) {
        this("raw committed update", pause);
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
                    boolean measured = System.nanoTime() - warm > 0;
                    TimeUnit.NANOSECONDS.sleep((measured ? pause : HandOff.WARM_HOLD).toNanos());
                    long before = System.nanoTime();
                    update.executeUpdate();
                    if (measured) {
                        times.add(System.nanoTime() - before);
                    }
                }
                return times.describe("", new Measurement(Map.of(), List.of()));
            }
        }
    }
}
