local s = open(1, got)
local answer = release(s, ARGV[1])
save(s)
return tag .. answer
