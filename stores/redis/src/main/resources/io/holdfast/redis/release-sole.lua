-- The usual case first: one grant, ours, and nobody waits. Its key ends when it is over, so no clock is needed.
local got = redis.call('MGET', KEYS[1], KEYS[2])
local record = got[1]
if record and string.sub(record, 1, 42) == '-\n' .. ARGV[1] and string.find(record, '\n', 43, true) == #record then
  redis.call('DEL', KEYS[1])
  return 'H'
end
