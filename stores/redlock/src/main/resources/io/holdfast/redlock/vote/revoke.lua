-- ARGV 5 'now' or 'end', 6 bucket. V left or N.
keep()
decode()
sweep()
local answer, closed = 'N', 0
if #votes > 0 then
  for _, v in ipairs(votes) do
    closed = math.max(closed, v.expires + v.delay - now - 1)
    v.flags = has(v, 'u') and 'ur' or 'r'
    if ARGV[5] == 'now' then
      bury(v.id, ARGV[6])
      bury('r' .. v.id, ARGV[6])
    end
  end
  if ARGV[5] == 'now' then votes, closed = {}, 0 end
  answer = fmt('V %.0f', math.max(0, closed))
  save()
end
return head() .. ' ' .. answer
