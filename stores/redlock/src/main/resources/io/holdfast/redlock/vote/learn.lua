-- ARGV 5 epoch, 6 floor, 7 'cold' if a majority forgot: then the clock stands in for the lost fences (U6). Raises all
-- fences at once: no token at or below the floor gets a vote any more. Only for the epoch that was read.
keep()
if node[3] == ARGV[5] and state == 'L' then
  local floor = math.max(tonumber(node[5]), tonumber(ARGV[6]))
  if ARGV[7] == 'cold' then floor = math.max(floor, micros + START_AHEAD_MICROS) end
  call('HSET', KEYS[1], 'floor', fmt('%.0f', floor), 'learned', '1')
  node[5], node[4], state = fmt('%.0f', floor), '1', 'C'
end
return head()
