local s = open(1, got)
local answer = take(s, ARGV[1], claimed())
save(s)
return tag .. answer
