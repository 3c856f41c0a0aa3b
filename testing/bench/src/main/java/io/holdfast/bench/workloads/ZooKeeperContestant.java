package io.holdfast.bench.workloads;

import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.servers.ZooKeeperOptions;
import io.holdfast.servers.ZooKeeperServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** A lock library on a ZooKeeper that nobody else uses and that flushes every change to its disk. */
record ZooKeeperContestant(ZooKeeperPeers peer, Body body) implements Contestant {
    /** What is measured. */
    @FunctionalInterface
    interface Body {
        /** Measures on a running server. */
        Measurement measure(Run run, ZooKeeperPeers peer, ZooKeeperServer server) throws Exception;
    }

    /** These. */
    static List<Contestant> of(Body body, ZooKeeperPeers... peers) {
        return Arrays.stream(peers)
                .<Contestant>map(peer -> new ZooKeeperContestant(peer, body))
                .toList();
    }

    @Override
    public String name() {
        return peer.title();
    }

    @Override
    public Measurement measure(Run run) throws Exception {
        ZooKeeperOptions usual = ZooKeeperOptions.defaults().tick(Duration.ofSeconds(2));
        try (ZooKeeperServer server = ZooKeeperServer.open(usual)) {
            return body.measure(run, peer, server);
        }
    }
}
