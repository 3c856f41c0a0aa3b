-- The record alone: nobody waits, or so it was at the last release.
local record, got = redis.call('GET', KEYS[1])
