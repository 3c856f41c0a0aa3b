package io.holdfast.bench.store;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.ServerProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Redis servers that know nothing of each other. */
public record RedisNodes(List<RedisServer> servers) implements AutoCloseable {
    /** Starts them. */
    public static RedisNodes open() {
        RedisNodes nodes = new RedisNodes(new ArrayList<>());
        try {
            for (int i = 0; i < StoresUnderTest.NODES; i++) {
                nodes.servers.add(RedisServer.open());
            }
            return nodes;
        } catch (RuntimeException e) {
            nodes.close();
            throw e;
        }
    }

    /** Host and port of each, with commas. */
    public String addresses() {
        return servers.stream()
                .map(server -> ServerProcess.HOST + ":" + server.port())
                .collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
