-- The usual case first, without the rest of the node: it counts, and the only vote for the name is this holder's. Its key
-- ends when the vote is over, so no clock is needed. Keys and arguments are those of release.lua.
if ARGV[6] == '' then
  local record = redis.call('GET', KEYS[2])
  if record and string.sub(record, 1, 41) == ARGV[5] .. ' ' and string.find(record, '\n', 42, true) == #record then
    local n = redis.call('HMGET', KEYS[1], 'run', 'epoch', 'learned', 'max', ARGV[7])
    local last, graves, at = string.match(n[5] or '', '^(%d+) (%d+) ()')
    if last and tonumber(last) >= tonumber(ARGV[8]) and n[1] == ARGV[1] and n[3] == '1' then
      redis.call('DEL', KEYS[2])
      redis.call('HSET', KEYS[1], ARGV[7],
        last .. ' ' .. graves .. ' ' .. string.sub(ARGV[5], 1, 16) .. string.sub(n[5], at, at + 7 * 16 - 1))
      return 'C 0 ' .. n[2] .. ' 0 ' .. n[4] .. ' H'
    end
  end
end
