package io.holdfast.bench.workloads;

import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The least that a durable hand-off costs PostgreSQL: one row, flushed. Nobody is told, so nothing can be checked. In a
 * loop; or after a pause each, as a hand-off is: processors, disk and caches are not the same then.
 */
record CommittedUpdate(String name, Duration pause) implements Contestant {
    static final CommittedUpdate IN_A_LOOP = new CommittedUpdate("raw committed update", Duration.ZERO);

    static CommittedUpdate afterPause(Duration pause) {
        return new CommittedUpdate(IN_A_LOOP.name() + ", " + pause.toMillis() + " ms apart", pause);
    }

    @Override
    public Measurement measure(Run run) throws Exception {
        try (PostgresServer server = PostgresServer.open();
                Connection connection = server.connect()) {
            server.execute("CREATE TABLE one (id int PRIMARY KEY, value bigint)");
            server.execute("INSERT INTO one VALUES (1, 0)");
            try (PreparedStatement update =
                    connection.prepareStatement("UPDATE one SET value = value + 1 WHERE id = 1")) {
                Duration warmPause = pause.isZero() ? pause : HandOff.WARM_SETTLE;
                Latencies times = new Latencies();
                long warm = System.nanoTime() + run.warmUp().toNanos();
                long end = warm + run.measure().toNanos();
                while (times.count() == 0 || System.nanoTime() - end < 0) {
                    boolean measured = System.nanoTime() - warm > 0;
                    TimeUnit.NANOSECONDS.sleep((measured ? pause : warmPause).toNanos());
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
