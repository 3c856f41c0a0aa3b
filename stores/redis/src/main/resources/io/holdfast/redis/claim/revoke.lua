-- ARGV: 'now' or 'end'.
local s = open(1)
advance(s)
local answer = 'N'
if #s.holds > 0 and ARGV[1] == 'now' then
  for _, h in ipairs(s.holds) do add_tombstone(s, h.id, true) end
  s.holds = {}
  advance(s)
  answer = 'V 0'
elseif #s.holds > 0 then
  for _, h in ipairs(s.holds) do h.flags = has(h, 'p') and 'pr' or 'r' end
  answer = fmt('V %.0f', math.max(0, closed_for(s) - 1))
end
save(s)
return tag .. answer
