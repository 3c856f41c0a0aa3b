package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.PostgresServer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Sixteen threads of one client on one hot name in PostgreSQL. */
public final class SqlHotName implements Workload {
    private static final int THREADS = 16;

    /** For {@link java.util.ServiceLoader}. */
    public SqlHotName() {}

    @Override
    public String id() {
        return "sql-hot-name";
    }

    @Override
    public String question() {
        return THREADS + " threads of one client on one hot name in PostgreSQL, empty section";
    }

    @Override
    public List<Contestant> contestants() {
        return Stream.of(SqlPeers.HOLDFAST, SqlPeers.SPRING, SqlPeers.RAW_ADVISORY)
                .<Contestant>map(peer -> new SqlContestant(peer, SqlHotName::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return SqlPeers.SPRING.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(SqlPeers.HOLDFAST.title(), Contention.RATE, Bar.Relation.AT_LEAST, 30));
    }

    private static Measurement measure(Run run, SqlPeers who, PostgresServer server) throws Exception {
        try (RedisPeer peer = who.open(server)) {
            RedisPeer.Handle[] locks = new RedisPeer.Handle[THREADS + 1];
            Arrays.setAll(locks, i -> peer.handle("hot"));
            return new Contention(THREADS).measure(run, (section, thread) -> {
                long token = locks[thread].lock();
                try {
                    if (token == 0) {
                        section.pass(thread);
                    } else {
                        section.pass(thread, token);
                    }
                } finally {
                    locks[thread].unlock();
                }
            });
        }
    }
}
