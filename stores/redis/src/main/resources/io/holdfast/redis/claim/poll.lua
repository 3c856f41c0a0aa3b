-- KEYS: five per name; ARGV: per name the number of its waiters, then holder id and remaining wait of each (L3, L4).
local answers, at = {}, 1
for group = 1, #KEYS, 5 do
  local s = open(group)
  local head = advance(s)
  local count = tonumber(ARGV[at])
  at = at + 1
  for _ = 1, count do
    local id, left = ARGV[at], tonumber(ARGV[at + 1])
    at = at + 2
    local own = holding(s, id)
    local entry = not own and s.waited and (s.sole == id and s.entry or not s.sole and call('HGET', s.waiters, id))
    if own and in_force(own) then
      answers[#answers + 1] = granted(own)
    elseif entry then
      join(s, id, fmt('%.0f %s', deadline(left), match(entry, '^%d+ (.+)$')))
      answers[#answers + 1] = 'Q ' .. (head == id and '1 ' or '0 ') .. obstacle(s)
    else
      answers[#answers + 1] = 'L'
    end
  end
  save(s)
end
return tag .. table.concat(answers, '\n')
