package io.holdfast.redlock.node;

import java.util.Map;

/** Whether a server can be one of the independent nodes, from its INFO. */
final class NodeFitness {
    private static final int OLDEST = 6;

    private NodeFitness() {}

    static void check(String address, Map<String, String> info) {
        String version = info.getOrDefault("redis_version", "");
        int dot = version.indexOf('.');
        if (dot > 0 && dot < 4 && Integer.parseInt(version.substring(0, dot)) < OLDEST) {
            throw new IllegalArgumentException(
                    address + " is Redis " + version + ", and Holdfast needs " + OLDEST + " or newer: upgrade it");
        }
        if ("slave".equals(info.get("role"))) {
            throw new IllegalArgumentException(address + " is a replica of " + info.get("master_host") + ":"
                    + info.get("master_port") + ": the nodes of a quorum are independent servers");
        }
        String policy = info.getOrDefault("maxmemory_policy", "noeviction");
        if (!policy.equals("noeviction")) {
            throw new IllegalArgumentException(address + " has maxmemory-policy " + policy
                    + ", which may evict a vote unnoticed: set it to noeviction");
        }
    }
}
