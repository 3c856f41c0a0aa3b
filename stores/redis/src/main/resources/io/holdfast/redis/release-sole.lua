-- The usual case first: one grant, ours, and nobody waits. Its key ends when it is over, so no clock is needed.
if record and string.sub(record, 1, 42) == '-\n' .. ARGV[1] and string.find(record, '\n', 43, true) == #record then
  redis.call('DEL', KEYS[1])
  return ARGV[2] .. ' H'
end
got = got or {record, redis.call('GET', KEYS[2])}
