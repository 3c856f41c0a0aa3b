package io.holdfast.redlock.node;

import java.util.HashMap;
import java.util.Map;

/** Which address is which server: two addresses of one server would let it vote twice. Thread-safe. */
final class RunIds {
    private final Map<String, String> addresses = new HashMap<>();

    synchronized void claim(String runId, String address) {
        String other = addresses.get(runId);
        if (other != null && !other.equals(address)) {
            throw new IllegalArgumentException(other + " and " + address
                    + " are the same Redis server, which would have two votes: give every node once");
        }
        addresses.values().remove(address);
        addresses.put(runId, address);
    }
}
