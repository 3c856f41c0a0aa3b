-- A guarded write. KEYS: mark, what was answered lately, then the write's own; ARGV: mode, token, lock name, request id,
-- then the write's own. The write is a function of KEYS and ARGV that raises what goes wrong.
local function guarded(write, whole)
  local got = redis.call('MGET', KEYS[1], KEYS[2])
  local refused, mark = judge(got[1])
  if refused then return {refused} end
  local before = repeated(got[2], ARGV[4])
  if before then return before end
  local keys, args = {}, {}
  for i = 3, #KEYS do keys[i - 2] = KEYS[i] end
  for i = 5, #ARGV do args[i - 4] = ARGV[i] end
  local fine, value = pcall(write, keys, args)
  local failure = not fine and (type(value) == 'table' and value.err or tostring(value))
  -- A single command that failed has written nothing, and nothing is marked. A script may have written half of it.
  if failure and whole then return {'E ' .. failure} end
  local answer = failure and {'E ' .. failure} or {'A', value}
  redis.call('MSET', KEYS[1], mark, KEYS[2], remember(got[2], ARGV[4], answer))
  return answer
end
