-- The usual case first, without the rest of the node: it counts, and the only vote for the name is this holder's.
do
  local call, fmt = redis.call, string.format
  local record = ARGV[6] == '' and call('GET', KEYS[3])
  if record then
    local id, expires, delay = string.match(record, '^(%x+) %x+ (%d+) %S+ %d+ %d+ %a %d+ (%d+) [^\n]+\n$')
    local n = id == ARGV[5] and call('HMGET', KEYS[1], 'run', 'until', 'epoch', 'learned', 'max')
    if n and n[1] == ARGV[1] and n[4] == '1' then
      local clock = call('TIME')
      local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
      if tonumber(n[2]) <= now and expires + delay > now then
        call('DEL', KEYS[3])
        call('ZREMRANGEBYSCORE', KEYS[4], '-inf', fmt('%.0f', now))
        call('ZADD', KEYS[4], fmt('%.0f', now + 10000), id)
        call('PEXPIRE', KEYS[4], '10000')
        return 'C 0 ' .. n[3] .. ' 0 ' .. n[5] .. ' H'
      end
    end
  end
end
