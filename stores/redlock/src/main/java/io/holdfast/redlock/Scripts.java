package io.holdfast.redlock;

import io.holdfast.redis.wire.LuaScript;

/** The scripts; each begins with what a node knows of itself, two with a shorter way for the usual case. */
final class Scripts {
    static final LuaScript VOTE = LuaScript.ofParts(Scripts.class, "vote-free", "node", "vote");
    static final LuaScript RENEW = script("renew");
    static final LuaScript RELEASE = LuaScript.ofParts(Scripts.class, "release-sole", "node", "release");
    static final LuaScript REVOKE = script("revoke");
    static final LuaScript INSPECT = script("inspect");
    static final LuaScript HIGH = script("high");
    static final LuaScript LEARN = script("learn");

    private Scripts() {}

    private static LuaScript script(String name) {
        return LuaScript.ofParts(Scripts.class, "node", name);
    }
}
