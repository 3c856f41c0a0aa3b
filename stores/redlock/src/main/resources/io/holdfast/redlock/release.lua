-- ARGV 5 holder, 6 try or '' for whatever this holder has here. H held, N nothing; then who has it now.
decode()
sweep()
local id, try = ARGV[5], ARGV[6]
local mine, at = own(id)
local held = mine and (try == '' or mine.try == try)
if held then table.remove(votes, at) end
-- L1: a vote that arrives after its own release does nothing. A withdrawn try closes only that try.
if try == '' then bury(id) elseif not held then bury(id .. try) end
save()
local who = 'N'
if held then
  who = 'H'
elseif votes[1] and in_force(votes[1]) then
  who = 'N ' .. shown(votes[1])
end
return head() .. ' ' .. who
