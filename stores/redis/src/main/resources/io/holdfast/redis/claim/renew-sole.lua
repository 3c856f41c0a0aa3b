-- KEYS: lock and tombs of each claim; ARGV: the holder id of each. Never creates and never revives (U10).
-- The usual case first: the only grant of its name, in force and not revoked.
local answers, left = {}, false
for i = 1, #ARGV - 1 do
  local id = ARGV[i]
  local record = call('GET', KEYS[2 * i - 1])
  local waits, expires, flags, rest, ttl, delay =
    match(record or '', '^([^\n]+)\n' .. id .. ' (%d+) ([.p]) (%d+ %d+ %a (%d+) (%d+) [^\n]+\n)$')
  if expires and tonumber(expires) > now then
    local px = ttl + 1 + delay + (waits == '-' and 0 or LINGER)
    call('SET', KEYS[2 * i - 1], waits .. '\n' .. id .. fmt(' %.0f . %s', now + ttl + 1, rest), 'PX', fmt('%.0f', px))
    answers[i] = 'K ' .. ttl
  else
    answers[i], left = false, true
  end
end
if not left then return tag .. table.concat(answers, '\n') end
