package io.holdfast.servers;

import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;

/** The servers that are not closed, and the last words of those that were closed lately. A shutdown hook ends them if the JVM exits without having done so. */
final class LiveServers {
    private static final Set<ServerProcess> LIVE = ConcurrentHashMap.newKeySet();

    private static final int CLOSED_KEPT = 20;
    private static final Deque<Closed> CLOSED = new ConcurrentLinkedDeque<>();

    private record Closed(long at, String name, String lastWords) {}

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> LIVE.forEach(ServerProcess::close), "holdfast-servers-shutdown"));
    }

    private LiveServers() {}

    static void add(ServerProcess server) {
        LIVE.add(server);
    }

    static void remove(ServerProcess server, String lastWords) {
        if (LIVE.remove(server)) {
            CLOSED.addLast(new Closed(System.nanoTime(), server + ", which was closed, printed last", lastWords));
            if (CLOSED.size() > CLOSED_KEPT) {
                CLOSED.pollFirst();
            }
        }
    }

    /** What each server printed last that was not closed at this {@link System#nanoTime()}. */
    static String logs(long since) {
        StringBuilder logs = new StringBuilder();
        for (Closed server : CLOSED) {
            if (server.at - since >= 0) {
                append(logs, server.name, server.lastWords);
            }
        }
        for (ServerProcess server : LIVE) {
            String state = server.isRunning() ? ", which runs, printed last" : ", which does not run, printed last";
            append(logs, server + state, server.logTail());
        }
        return logs.toString();
    }

    private static void append(StringBuilder logs, String name, String text) {
        logs.append(name).append('\n').append(text.indent(4)).append('\n');
    }
}
