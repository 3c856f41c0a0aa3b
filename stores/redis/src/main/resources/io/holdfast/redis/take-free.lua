-- The usual case first: nobody has the name. ARGV: holder, wait in ms or -1, mode, permits, ttl, delay, span, who, channel, tag.
-- No string is made that is not kept: this is the time of the server, which everybody shares.
local got = call('MGET', KEYS[1], KEYS[2])
local fence = got[2]
if fence and not got[1] then
  local id, ttl = ARGV[1], ARGV[5]
  local begins = sub(id, 1, 16)
  local last, graves, at = match(fence, '^(%d+) (%d+) ()')
  local base = tonumber(last)
  if base > 0 and base < 9007199254740991 - 256 and tonumber(graves) <= now and not find(fence, begins, at, true) then
    local first = math.max(base + 1, micros)
    local token = fmt('%.0f', first)
    local span, spent = '1', token
    if ARGV[7] ~= '1' and base - micros <= 100000 then
      span, spent = ARGV[7], fmt('%.0f', first + ARGV[7] - 1)
    end
    call('SET', KEYS[2], spent .. ' ' .. graves .. ' ' .. begins .. sub(fence, at, at + 7 * 16 - 1))
    call('SET', KEYS[1], '-\n' .. id .. fmt(' %.0f . ', now + ttl + 1) .. token .. ' ' .. span .. ' ' .. ARGV[3] .. ' '
      .. ttl .. ' ' .. ARGV[6] .. ' ' .. ARGV[8] .. '\n', 'PX', fmt('%.0f', ttl + 1 + ARGV[6]))
    return tag .. 'G ' .. token .. ' ' .. span .. ' ' .. ttl .. ' .'
  end
end
