-- The highest fence of all buckets (U7), for a node that forgot its own.
local highest = tonumber(node[5])
for _, last in ipairs(call('HVALS', KEYS[2])) do highest = math.max(highest, tonumber(last)) end
return fmt('%s %.0f', head(), highest)
