local s = open(1, got)
local wait = tonumber(ARGV[2])
local answer = take(s, ARGV[1], claimed(3), wait >= 0 and wait or nil)
save(s)
return tag .. answer
