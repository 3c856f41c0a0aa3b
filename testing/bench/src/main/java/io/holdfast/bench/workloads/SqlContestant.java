package io.holdfast.bench.workloads;

import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.servers.PostgresServer;

/** A lock library on a PostgreSQL that nobody else uses and that flushes every commit, unless it is told otherwise. */
record SqlContestant(SqlPeers peer, Body body) implements Contestant {
    /** What is measured. */
    @FunctionalInterface
    interface Body {
        /** Measures on a running server. */
        Measurement measure(Run run, SqlPeers peer, PostgresServer server) throws Exception;
    }

    @Override
    public String name() {
        return peer.title();
    }

    @Override
    public Measurement measure(Run run) throws Exception {
        try (PostgresServer server = PostgresServer.open()) {
            return body.measure(run, peer, server);
        }
    }
}
