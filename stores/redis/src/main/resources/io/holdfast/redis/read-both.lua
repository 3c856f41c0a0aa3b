-- The record and the fence in one call: there was somebody to hand the lock to at the last release.
local got = redis.call('MGET', KEYS[1], KEYS[2])
local record = got[1]
