package io.holdfast.redis;

import io.holdfast.redis.wire.LuaScript;

/** The scripts of the lock verbs. The lock table in {@code table.lua} is shared; the usual cases come before it. */
final class Scripts {
    static final LuaScript TAKE = lua("clock", "take-free", "table", "take");
    static final LuaScript RELEASE = release("read-lock");

    /** The same, where a hand-off is to be expected. */
    static final LuaScript HAND_ON = release("read-both");

    static final LuaScript EXCHANGE = lua("clock", "pass", "exchange-pass", "table", "exchange");
    static final LuaScript RENEW = lua("clock", "renew-sole", "table", "renew");
    static final LuaScript POLL = lua("clock", "table", "poll");
    static final LuaScript REVOKE = lua("clock", "table", "revoke");
    static final LuaScript INSPECT = lua("clock", "table", "inspect");
    static final LuaScript NOTE = lua("clock", "note");
    static final LuaScript NOTES = lua("clock", "notes");
    static final LuaScript ADMIT = lua("marks", "admit");

    private Scripts() {}

    private static LuaScript release(String reading) {
        return lua(reading, "release-sole", "clock", "pass", "release-pass", "table", "release");
    }

    private static LuaScript lua(String... parts) {
        return LuaScript.ofParts(Scripts.class, parts);
    }
}
