package io.holdfast.servers;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The servers that are not closed. A shutdown hook ends them if the JVM exits without having done so. */
final class LiveServers {
    private static final Set<ServerProcess> LIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> LIVE.forEach(ServerProcess::close), "holdfast-servers-shutdown"));
    }

    private LiveServers() {}

    static void add(ServerProcess server) {
        LIVE.add(server);
    }

    /** What each of them printed last. */
    static String logs() {
        StringBuilder logs = new StringBuilder();
        for (ServerProcess server : LIVE) {
            logs.append(server)
                    .append(server.isRunning() ? ", which runs" : ", which does not run")
                    .append(", printed last\n")
                    .append(server.logTail().indent(4))
                    .append('\n');
        }
        return logs.toString();
    }

    static void remove(ServerProcess server) {
        LIVE.remove(server);
    }
}
