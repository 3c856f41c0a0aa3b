package io.holdfast.bench.workloads;

import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.servers.EtcdServer;

/** A lock library on an etcd of one member that nobody else uses and that flushes its log. */
record EtcdContestant(EtcdPeers peer, Body body) implements Contestant {
    /** What is measured. */
    @FunctionalInterface
    interface Body {
        /** Measures on a running server. */
        Measurement measure(Run run, EtcdPeers peer, EtcdServer server) throws Exception;
    }

    @Override
    public String name() {
        return peer.title();
    }

    @Override
    public Measurement measure(Run run) throws Exception {
        try (EtcdServer server = EtcdServer.open()) {
            return body.measure(run, peer, server);
        }
    }
}
