-- Server time only: milliseconds for leases, microseconds for tokens.
local call, fmt, find, match, sub = redis.call, string.format, string.find, string.match, string.sub
local clock = call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)
-- U29: the last argument is the tag of the request, and every answer begins with it.
local tag = ARGV[#ARGV] .. ' '
