-- ARGV: as for take, then the holder id that is given up. The claims that wait already come first (Q5).
local s = open(1)
local released = release(s, ARGV[7])
local answer = take(s, ARGV[1], claimed())
save(s)
return tag .. released .. '\n' .. answer
