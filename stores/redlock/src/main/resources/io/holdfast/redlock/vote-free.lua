-- The usual case first, without the rest of the node: it counts, nobody has the name, the proposal is above the fence and
-- no id of the bucket is under a tombstone. Keys and arguments are those of vote.lua; whatever is different here is decided
-- there, from the beginning. Five servers do this at once, so the number of calls is what counts.
do
  local call, fmt = redis.call, string.format
  local n = call('HMGET', KEYS[1], 'run', 'until', 'epoch', 'learned', 'floor', 'max', ARGV[5])
  if n[1] == ARGV[1] and n[4] == '1' and n[6] == ARGV[2] then
    local clock = call('TIME')
    local micros = clock[1] * 1000000 + clock[2]
    local now = math.floor(micros / 1000)
    local id, token, ttl, delay = ARGV[6], tonumber(ARGV[8]), ARGV[11], ARGV[12]
    local kept = n[7] or '0 0 '
    local last, graves, at = string.match(kept, '^(%d+) (%d+) ()')
    if last and token > tonumber(last) and token > tonumber(n[5]) and tonumber(graves) <= now and tonumber(n[2]) <= now
        and token <= micros + 3600000000 and token <= 9007199254740991 - 256
        and not string.find(kept, string.sub(id, 1, 16), at, true)
        and call('SET', KEYS[2], id .. ' ' .. ARGV[7] .. fmt(' %.0f . ', now + ttl + 1) .. ARGV[8] .. ' ' .. ARGV[9] .. ' '
          .. ARGV[10] .. ' ' .. ttl .. ' ' .. delay .. ' ' .. ARGV[13] .. '\n', 'NX', 'PX', fmt('%.0f', ttl + 1 + delay)) then
      local fence = ARGV[9] == '1' and ARGV[8] or fmt('%.0f', token + ARGV[9] - 1)
      call('HSET', KEYS[1], ARGV[5], fence .. ' 0 ' .. string.sub(kept, at))
      return 'C 0 ' .. n[3] .. ' 0 ' .. n[6] .. ' ' .. fence .. ' Y ' .. ttl .. ' .'
    end
  end
end
