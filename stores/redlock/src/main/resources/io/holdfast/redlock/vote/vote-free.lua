-- The usual case first, without the rest of the node: it counts, no vote has the name, the proposal is above the fence and
-- no id of the bucket is under a tombstone. Keys and arguments are those of vote.lua; whatever is different here is decided
-- there, from the beginning. Five servers do this at once, so the number of calls is what counts, and the clock is one of
-- them: what was learned was learned after the quarantine, a token up to 'limit' was allowed by the clock before (U27), and
-- the key itself knows when the vote ends.
do
  local call = redis.call
  local n = call('HMGET', KEYS[1], 'run', 'limit', 'epoch', 'learned', 'floor', 'max', ARGV[5], 'fsync', 'quarantine')
  if n[1] == ARGV[1] and n[4] == '1' and n[6] == ARGV[2] and n[8] == ARGV[3] and n[9] == ARGV[4] then
    local id, token, ttl, delay = ARGV[6], tonumber(ARGV[8]), ARGV[11], ARGV[12]
    local kept = n[7] or '0 0 '
    local begins = string.sub(id, 1, 16)
    local last, graves, at = string.match(kept, '^(%d+) (%d+) ()')
    if last and token > tonumber(last) and token > tonumber(n[5]) and graves == '0' and token <= tonumber(n[2] or '0')
        and not string.find(kept, begins, at, true)
        and call('SET', KEYS[2], id .. ' ' .. ARGV[7] .. ' 0 . ' .. ARGV[8] .. ' ' .. ARGV[9] .. ' ' .. ARGV[10] .. ' '
          .. ttl .. ' ' .. delay .. ' ' .. ARGV[13] .. ' ' .. ARGV[14] .. '\n', 'NX', 'PX', ttl + 1 + delay) then
      local fence = ARGV[9] == '1' and ARGV[8] or string.format('%.0f', token + ARGV[9] - 1)
      call('HSET', KEYS[1], ARGV[5], fence .. ' 0 ' .. begins .. string.sub(kept, at, at + 7 * 16 - 1))
      return ARGV[16] .. ' C 0 ' .. n[3] .. ' 0 ' .. n[6] .. ',' .. n[8] .. ',' .. n[9] .. ' ' .. fence .. ' Y ' .. ttl .. ' .'
    end
  end
end
