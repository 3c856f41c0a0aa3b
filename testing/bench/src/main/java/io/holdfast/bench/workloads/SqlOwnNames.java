package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.PostgresServer;
import java.util.Arrays;
import java.util.List;

/** Sixteen threads of one client, each with its own name in PostgreSQL. */
public final class SqlOwnNames implements Workload {
    private static final int THREADS = 16;

    /** For {@link java.util.ServiceLoader}. */
    public SqlOwnNames() {}

    @Override
    public String id() {
        return "sql-own-names";
    }

    @Override
    public String question() {
        return THREADS + " threads, each its own name in PostgreSQL, one client: lock + unlock";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(SqlPeers.values())
                .<Contestant>map(peer -> new SqlContestant(peer, SqlOwnNames::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return SqlPeers.SHEDLOCK.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(SqlPeers.HOLDFAST.title(), Contention.RATE, Bar.Relation.AT_LEAST, 1.5));
    }

    private static Measurement measure(Run run, SqlPeers who, PostgresServer server) throws Exception {
        try (RedisPeer peer = who.open(server)) {
            RedisPeer.Handle[] locks = new RedisPeer.Handle[THREADS + 1];
            Arrays.setAll(locks, i -> peer.handle("own-" + i));
            // Nobody excludes anybody here, so the section, which would complain, is not entered.
            return Contention.apart(THREADS).measure(run, (section, thread) -> {
                locks[thread].lock();
                locks[thread].unlock();
            });
        }
    }
}
