-- ARGV 5 holder, 6 try or '' for whatever this holder has here, 7 bucket, 8 the highest token its client has proposed there.
-- H held, and the longest pause in ms that another client noted (L21); N nothing, and the present holder.
keep()
decode()
sweep()
local id, try = ARGV[5], ARGV[6]
local mine, at = own(id)
local held = mine and (try == '' or mine.try == try)
if held then table.remove(votes, at) end
-- L1: a vote that arrives after its own release does nothing; the id is in the ring since it had a vote. A withdrawn try
-- closes only that try. A vote for another proposal of this client that is still under way might outlast the ring: it meets
-- a tombstone.
if try ~= '' then
  if held then pardon(id, ARGV[7]) else bury(id .. try, ARGV[7]) end
elseif not held or fence(ARGV[7]) < tonumber(ARGV[8]) then
  bury(id, ARGV[7])
end
save()
local who = 'N'
if held and try ~= '' then
  who = 'H'
elseif held then
  local _, longest = notes(match(mine.who, '^%S+'))
  who = fmt('H %.0f', longest)
elseif votes[1] and in_force(votes[1]) then
  who = 'N ' .. shown(votes[1])
end
return head() .. ' ' .. who
