package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;

/** From the release in one client to the acquisition in another that waits, against one raw committed update. */
public final class SqlHandOff implements Workload {
    private static final String UPDATE = "raw committed update";

    /** For {@link java.util.ServiceLoader}. */
    public SqlHandOff() {}

    @Override
    public String id() {
        return "sql-hand-off";
    }

    @Override
    public String question() {
        return "hand-off in PostgreSQL: release in one client to acquired in another that waits";
    }

    @Override
    public List<Contestant> contestants() {
        return List.of(
                new Update(),
                new SqlContestant(SqlPeers.HOLDFAST, SqlHandOff::measure),
                new SqlContestant(SqlPeers.SPRING, SqlHandOff::measure));
    }

    @Override
    public String baseline() {
        return UPDATE;
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(SqlPeers.HOLDFAST.title(), RedisHandOff.P50, Bar.Relation.AT_MOST, 3));
    }

    private static Measurement measure(Run run, SqlPeers who, PostgresServer server) throws Exception {
        try (RedisPeer a = who.open(server);
                RedisPeer b = who.open(server)) {
            RedisPeer.Handle giver = a.handle("passed");
            RedisPeer.Handle taker = b.handle("passed");
            return RedisHandOff.passes(
                    run,
                    giver::lock,
                    () -> {
                        giver.unlock();
                        return 0L;
                    },
                    taker::lock,
                    () -> {
                        taker.unlock();
                        return 0L;
                    });
        }
    }

    /** The least that a durable hand-off costs the database: one row, flushed. */
    private static final class Update implements Contestant {
        @Override
        public String name() {
            return UPDATE;
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (PostgresServer server = PostgresServer.open();
                    Connection connection = server.connect()) {
                server.execute("CREATE TABLE one (id int PRIMARY KEY, value bigint)");
                server.execute("INSERT INTO one VALUES (1, 0)");
                try (PreparedStatement update =
                        connection.prepareStatement("UPDATE one SET value = value + 1 WHERE id = 1")) {
                    return times(run, update);
                }
            }
        }

        private static Measurement times(Run run, PreparedStatement update) throws Exception {
            List<Long> nanos = new ArrayList<>();
            long warm = System.nanoTime() + run.warmUp().toNanos();
            long end = warm + run.measure().toNanos();
            while (nanos.isEmpty() || System.nanoTime() - end < 0) {
                long before = System.nanoTime();
                update.executeUpdate();
                if (before - warm > 0) {
                    nanos.add(System.nanoTime() - before);
                }
            }
            nanos.sort(null);
            return Measurement.of(RedisHandOff.P50, nanos.get(nanos.size() / 2) / 1e3);
        }
    }
}
