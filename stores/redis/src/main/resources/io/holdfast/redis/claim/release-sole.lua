-- The usual case first: one grant, of this holder id, and no waiter. Its key ends when it is over, so no clock is needed.
local record = redis.call('GET', KEYS[1])
if record and string.find(record, '-\n' .. ARGV[1], 1, true) == 1 and string.find(record, '\n', 43, true) == #record then
  redis.call('DEL', KEYS[1])
  return ARGV[2] .. ' H'
end
local got = {record, redis.call('GET', KEYS[2])}
