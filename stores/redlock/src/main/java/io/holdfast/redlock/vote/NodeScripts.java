package io.holdfast.redlock.vote;

import io.holdfast.redis.wire.LuaScript;

/**
 * The scripts, from the parts beside this class. {@code node.lua} has the rules that all of them share; two begin with a
 * part that decides the usual case.
 */
final class NodeScripts {
    static final LuaScript VOTE = script("vote-free", "node", "vote");
    static final LuaScript RENEW = script("node", "renew");
    static final LuaScript RELEASE = script("release-sole", "node", "release");
    static final LuaScript REVOKE = script("node", "revoke");
    static final LuaScript INSPECT = script("node", "inspect");
    static final LuaScript HIGH = script("node", "high");
    static final LuaScript LEARN = script("node", "learn");

    private NodeScripts() {}

    private static LuaScript script(String... parts) {
        return LuaScript.ofParts(NodeScripts.class::getResourceAsStream, parts);
    }
}
