-- The usual case first, without the rest of the node: it counts, nobody has the name, the proposal is above the fence.
-- Keys and arguments are those of vote.lua; whatever is different here is decided there, from the beginning.
do
  local call, fmt = redis.call, string.format
  local n = call('HMGET', KEYS[1], 'run', 'until', 'epoch', 'learned', 'floor', 'max')
  if n[1] == ARGV[1] and n[4] == '1' and n[6] == ARGV[2] and not call('ZSCORE', KEYS[4], ARGV[6])
      and not call('ZSCORE', KEYS[4], ARGV[6] .. ARGV[7]) then
    local clock = call('TIME')
    local micros = clock[1] * 1000000 + clock[2]
    local now = math.floor(micros / 1000)
    local token, ttl, delay = tonumber(ARGV[8]), ARGV[11], ARGV[12]
    local last = math.max(tonumber(call('HGET', KEYS[2], ARGV[5]) or '0'), tonumber(n[5]))
    if tonumber(n[2]) <= now and token > last and token <= micros + 3600000000 and token <= 9007199254740991 - 256
        and call('SET', KEYS[3], ARGV[6] .. ' ' .. ARGV[7] .. fmt(' %.0f . %.0f ', now + ttl + 1, token) .. ARGV[9] .. ' '
          .. ARGV[10] .. ' ' .. ttl .. ' ' .. delay .. ' ' .. ARGV[13] .. '\n', 'NX', 'PX', fmt('%.0f', ttl + 1 + delay)) then
      local fence = fmt('%.0f', token + ARGV[9] - 1)
      call('HSET', KEYS[2], ARGV[5], fence)
      return 'C 0 ' .. n[3] .. ' 0 ' .. n[6] .. ' ' .. fence .. ' Y ' .. ttl .. ' .'
    end
  end
end
