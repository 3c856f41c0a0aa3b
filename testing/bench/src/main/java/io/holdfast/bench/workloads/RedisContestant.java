package io.holdfast.bench.workloads;

import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.servers.RedisServer;

/** A lock library on a Redis that nobody else uses. */
record RedisContestant(RedisPeers peer, Body body) implements Contestant {
    /** What is measured. */
    @FunctionalInterface
    interface Body {
        /** Measures on a running server. */
        Measurement measure(Run run, RedisPeers peer, RedisServer server) throws Exception;
    }

    @Override
    public String name() {
        return peer.title();
    }

    @Override
    public Measurement measure(Run run) throws Exception {
        try (RedisServer server = RedisServer.open()) {
            return body.measure(run, peer, server);
        }
    }
}
