local s = open(1, got)
local released = release(s, ARGV[10])
local answer = take(s, ARGV[1], claimed(3), tonumber(ARGV[2]))
save(s)
return tag .. released .. '\n' .. answer
