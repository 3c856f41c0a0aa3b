-- Reads only. Line 1: last token, its lead in µs, waiting, lock-delay left, revoked; then a line per holder.
local s = open(1)
local waiting, delayed, revoked = 0, 0, '0'
if s.waited then
  for _, entry in ipairs(s.sole and {s.entry} or call('HVALS', s.waiters)) do
    if waiter(entry).deadline > now then waiting = waiting + 1 end
  end
end
local lines = {''}
for _, h in ipairs(s.holds) do
  if not over(h) then
    if has(h, 'r') then revoked = '1' end
    if in_force(h) then
      lines[#lines + 1] = shown(h)
    else
      delayed = math.max(delayed, closed_until(h) - now)
    end
  end
end
lines[1] = fmt('%.0f %.0f %.0f %.0f %s', s.last, math.max(0, s.last - micros), waiting, delayed, revoked)
return tag .. table.concat(lines, '\n')
