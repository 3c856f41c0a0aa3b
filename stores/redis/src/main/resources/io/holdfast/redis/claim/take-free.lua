-- The usual case first: no grant and no waiter has the name. ARGV: holder id, ttl, delay, span, then as one text what a
-- record says behind the span (mode, ttl, delay, client, label), then as one text what only a waiter needs (wait in ms
-- or -1, permits, channel). The table decides if the fence is new, the bucket has tombstones, or the holder id is in
-- the ring. This runs in the server, which all clients share, so no string is made that is not kept.
local got = call('MGET', KEYS[1], KEYS[2])
local fence = got[2]
if fence and not got[1] then
  local id, ttl, begins = ARGV[1], ARGV[2], sub(ARGV[1], 1, ID)
  local last, tombs_until, at = match(fence, '^(%d+) (%d+) ()')
  local base = tonumber(last)
  if base > 0 and base < LARGEST and tonumber(tombs_until) <= now and not find(fence, begins, at, true) then
    local first = math.max(base + 1, micros)
    local token = fmt('%.0f', first)
    local span, spent = '1', token
    if ARGV[4] ~= '1' and base - micros <= SPAN_LEAD_MICROS then
      span, spent = ARGV[4], fmt('%.0f', first + ARGV[4] - 1)
    end
    call('SET', KEYS[2], spent .. ' ' .. tombs_until .. ' ' .. begins .. sub(fence, at, at + RING - ID - 1))
    call('SET', KEYS[1], '-\n' .. id .. fmt(' %.0f . ', now + ttl + 1) .. token .. ' ' .. span .. ' ' .. ARGV[5] .. '\n',
      'PX', ttl + 1 + ARGV[3])
    return tag .. 'G ' .. token .. ' ' .. span .. ' ' .. ttl .. ' .'
  end
end
