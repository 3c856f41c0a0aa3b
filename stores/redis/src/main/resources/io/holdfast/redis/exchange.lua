-- ARGV: as for take, then the holder id that is given up. Those who wait come first (Q5).
local s = open(1)
local released = release(s, ARGV[10])
local answer = take(s, ARGV[1], claimed(3), tonumber(ARGV[2]))
save(s)
return released .. '\n' .. answer
