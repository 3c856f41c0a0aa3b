-- L21: the longest pause that another client has noted. KEYS: the notes. ARGV: client.
local longest, notes = 0, call('HGETALL', KEYS[1])
for i = 1, #notes, 2 do
  local till, pause = match(notes[i + 1], '^(%d+) (%d+)$')
  if tonumber(till) <= now then
    call('HDEL', KEYS[1], notes[i])
  elseif notes[i] ~= ARGV[1] then
    longest = math.max(longest, tonumber(pause))
  end
end
return tag .. fmt('%.0f', longest)
