-- The usual case first: nobody has the name. ARGV: holder, wait in ms or -1, mode, permits, ttl, delay, span, who, channel.
local got = call('MGET', KEYS[1], KEYS[2])
if not got[1] and got[2] then
  local id, ttl = ARGV[1], ARGV[5]
  local last, graves, ring = match(got[2], '^(%d+) (%d+) (%x*)$')
  local base = tonumber(last)
  if base > 0 and base < 9007199254740991 - 256 and tonumber(graves) <= now and not find(ring, id, 1, true) then
    local span = base - micros > 100000 and 1 or tonumber(ARGV[7])
    local first = math.max(base + 1, micros)
    local token = fmt('%.0f', first)
    call('SET', KEYS[2], fmt('%.0f %s %s%s', first + span - 1, graves, id, sub(ring, 1, 7 * 40)))
    call('SET', KEYS[1], fmt('-\n%s %.0f . %s %.0f %s %s %s %s\n',
      id, now + ttl + 1, token, span, ARGV[3], ttl, ARGV[6], ARGV[8]), 'PX', fmt('%.0f', ttl + 1 + ARGV[6]))
    return fmt('G %s %.0f %s .', token, span, ttl)
  end
end
