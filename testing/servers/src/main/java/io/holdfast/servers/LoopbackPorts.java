package io.holdfast.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports on 127.0.0.1 that nobody listens on.
 *
 * <p>They are drawn at random from below the range that the kernel gives to outgoing connections. A server that is
 * down for a moment therefore finds its port free when it comes back, and nobody connects to himself by accident.
 * Between the draw and the use another process may still take the port: whoever uses it draws again then. Within one
 * process no port is drawn twice: the members of a group draw theirs long before they bind them.
 */
public final class LoopbackPorts {
    private static final int LOWEST = 18_000;
    private static final int HIGHEST = 32_000;
    private static final int TRIES = 200;
    private static final int MOST_DRAWN = (HIGHEST - LOWEST) / 2;
    private static final Set<Integer> DRAWN = ConcurrentHashMap.newKeySet();

    private LoopbackPorts() {}

    /** 127.0.0.1, whatever the machine thinks of {@code localhost}. */
    public static InetAddress address() {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    /** A port that was free a moment ago. */
    public static int free() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (DRAWN.size() >= MOST_DRAWN) {
                DRAWN.clear(); // those of long ago are in use by now, or never will be
            }
            if (isFree(port) && DRAWN.add(port)) {
                return port;
            }
        }
        throw new IllegalStateException(
                "no free port on 127.0.0.1 in " + TRIES + " tries between " + LOWEST + " and " + HIGHEST);
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(address(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
