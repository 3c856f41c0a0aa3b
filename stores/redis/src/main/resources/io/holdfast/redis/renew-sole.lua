-- KEYS: lock and tombs of each claim; ARGV: its holder id. Never creates and never revives (U10).
-- The usual case first: the only grant of its name, in force and not revoked.
local answers, left = {}, false
for i, id in ipairs(ARGV) do
  local record = call('GET', KEYS[2 * i - 1])
  local expires, flags, rest, ttl, delay =
    match(record or '', '^.\n' .. id .. ' (%d+) ([.p]) (%d+ %d+ %a (%d+) (%d+) [^\n]+\n)$')
  if expires and tonumber(expires) > now then
    local px = ttl + 1 + delay + (sub(record, 1, 1) == 'q' and 3000 or 0)
    call('SET', KEYS[2 * i - 1], sub(record, 1, 43) .. fmt('%.0f . %s', now + ttl + 1, rest), 'PX', fmt('%.0f', px))
    answers[i] = 'K ' .. ttl
  else
    answers[i], left = false, true
  end
end
if not left then return table.concat(answers, '\n') end
