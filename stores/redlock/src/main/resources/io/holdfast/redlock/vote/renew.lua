-- KEYS from 2 on: lock and tombs of each claim; ARGV from 5 on: its holder. Never creates and never revives (U10).
-- Answers a line per claim: K try left, X (revoked) or L (nothing here).
keep()
local answers = {head()}
for i = 5, #ARGV - 1 do
  local id, at = ARGV[i], 2 + 2 * (i - 5)
  votes, was = {}, nil
  KEYS[2], KEYS[3] = KEYS[at], KEYS[at + 1]
  decode()
  local mine = own(id)
  if mine and in_force(mine) and not has(mine, 'r') then
    mine.expires = now + mine.ttl + 1
    save()
    answers[#answers + 1] = fmt('K %s %.0f', mine.try, mine.ttl)
  elseif (mine and has(mine, 'r')) or (not mine and buried('r' .. id)) then
    answers[#answers + 1] = 'X'
  else
    answers[#answers + 1] = 'L'
  end
end
return table.concat(answers, '\n')
