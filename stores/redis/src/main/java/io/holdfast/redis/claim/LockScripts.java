package io.holdfast.redis.claim;

import io.holdfast.guard.redis.mark.ResourceMarks;
import io.holdfast.redis.wire.LuaScript;

/**
 * The scripts of the lock verbs, from the parts beside this class. {@code table.lua} has all the rules; a part before it
 * decides the usual case of its verb and leaves every other one to the table.
 */
final class LockScripts {
    static final LuaScript TAKE = lua("clock", "limits", "take-free", "table", "take");
    static final LuaScript RELEASE = lua("release-sole", "clock", "limits", "release-pass", "table", "release");
    static final LuaScript EXCHANGE = lua("clock", "limits", "table", "exchange");
    static final LuaScript RENEW = lua("clock", "limits", "renew-sole", "table", "renew");
    static final LuaScript POLL = lua("clock", "limits", "table", "poll");
    static final LuaScript REVOKE = lua("clock", "limits", "table", "revoke");
    static final LuaScript INSPECT = lua("clock", "limits", "table", "inspect");
    static final LuaScript NOTE = lua("clock", "note");
    static final LuaScript NOTES = lua("clock", "notes");
    static final LuaScript ADMIT =
            LuaScript.of("admit", ResourceMarks.rule() + lua("admit").source());

    private LockScripts() {}

    private static LuaScript lua(String... parts) {
        return LuaScript.ofParts(LockScripts.class::getResourceAsStream, parts);
    }
}
