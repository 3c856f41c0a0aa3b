package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.PostgresServer;
import java.util.Arrays;
import java.util.List;

/** The price of an uncontended lock in PostgreSQL. */
public final class SqlOwnName implements Workload {
    private static final int BATCH = 20;

    /** For {@link java.util.ServiceLoader}. */
    public SqlOwnName() {}

    @Override
    public String id() {
        return "sql-own-name";
    }

    @Override
    public String question() {
        return "1 thread, its own name in PostgreSQL: lock + unlock";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(SqlPeers.values())
                .<Contestant>map(peer -> new SqlContestant(peer, SqlOwnName::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return SqlPeers.SHEDLOCK.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio(SqlPeers.HOLDFAST.title(), RepeatedWork.RATE, Bar.Relation.AT_LEAST, 1.6),
                Bar.ratio(SqlPeers.HOLDFAST_ADVISORY.title(), RepeatedWork.RATE, Bar.Relation.AT_LEAST, 2.5));
    }

    private static Measurement measure(Run run, SqlPeers who, PostgresServer server) throws Exception {
        try (RedisPeer peer = who.open(server)) {
            RedisPeer.Handle lock = peer.handle("own");
            return RepeatedWork.measure(run, new RepeatedWork.Batch() {
                @Override
                public int size() {
                    return BATCH;
                }

                @Override
                public void work(int index) throws Exception {
                    lock.lock();
                    lock.unlock();
                }
            });
        }
    }
}
