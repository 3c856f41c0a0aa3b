package io.holdfast.servers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** A real Redis Cluster of primaries without replicas, each with an equal share of the slots. */
public final class RedisCluster implements AutoCloseable {
    private static final int SLOTS = 16384;

    private final List<RedisServer> nodes = new ArrayList<>();

    private RedisCluster() {}

    /** A cluster that serves all slots. */
    public static RedisCluster open(int primaries) {
        RedisCluster cluster = new RedisCluster();
        try {
            RedisOptions options =
                    RedisOptions.defaults().option("cluster-enabled", "yes").option("cluster-node-timeout", "5000");
            for (int i = 0; i < primaries; i++) {
                cluster.nodes.add(RedisServer.open(options));
            }
            cluster.join();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** The nodes; the first has the lowest slots. */
    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /** The addresses of all nodes, as in {@code 127.0.0.1:1,127.0.0.1:2}. */
    public String addresses() {
        return nodes.stream()
                .map(node -> ServerProcess.HOST + ":" + node.port())
                .collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }

    private void join() {
        for (int i = 0; i < nodes.size(); i++) {
            int first = SLOTS * i / nodes.size();
            int last = SLOTS * (i + 1) / nodes.size() - 1;
            nodes.get(i).call("CLUSTER", "ADDSLOTSRANGE", Integer.toString(first), Integer.toString(last));
            nodes.get(0)
                    .call(
                            "CLUSTER",
                            "MEET",
                            ServerProcess.HOST,
                            Integer.toString(nodes.get(i).port()));
        }
        long end = System.nanoTime() + TimeScale.of(Duration.ofSeconds(30)).toNanos();
        while (!nodes.stream().allMatch(RedisCluster::complete)) {
            if (System.nanoTime() - end > 0) {
                throw new ServerStartException(
                        "the cluster of " + addresses() + " did not come together within 30 s", null);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private static boolean complete(RedisServer node) {
        String info = String.valueOf(node.call("CLUSTER", "INFO"));
        return info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:" + SLOTS);
    }
}
