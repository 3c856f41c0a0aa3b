-- The highest fence of all buckets (U7), for a node that forgot its own.
keep()
local highest = tonumber(node[5])
local all = call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  -- The names of buckets are numbers, those of the other fields are not.
  if tonumber(all[i]) then highest = math.max(highest, tonumber(match(all[i + 1], '^%d+'))) end
end
return fmt('%s %.0f', head(), highest)
