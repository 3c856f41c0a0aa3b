-- Times in ms. PROVISIONAL: a pushed grant, until its waiter renews it. LIVE: a waiter, until its client polls again.
-- GRACE: beyond the end of a wait. TOMBSTONE: a tombstone. LINGER: a lock key with waiters, beyond its last grant.
local PROVISIONAL, LIVE, GRACE, TOMBSTONE, LINGER = 2000, 2000, 200, 10000, 3000
-- ID: the digits of a holder id that the fence remembers. RING: the digits of the eight that it remembers.
-- LARGEST: below it all tokens of a span can be told apart as numbers of Lua (U24).
local ID, RING, LARGEST = 16, 8 * 16, 9007199254740991 - 256
