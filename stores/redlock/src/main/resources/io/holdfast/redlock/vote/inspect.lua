-- ARGV 5 bucket. Reads only: the state; the fence and how far it is ahead in µs; then a line per vote.
decode()
local last = above_floor((fence(ARGV[5])))
local lines = {head(), fmt('%.0f %.0f', last, math.max(0, last - micros))}
for _, v in ipairs(votes) do
  if not over(v) then lines[#lines + 1] = shown(v) end
end
return table.concat(lines, '\n')
