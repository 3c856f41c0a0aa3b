-- The usual hand-off without the table, because others wait for the whole of its time: the only grant, 'own' and not
-- over, goes to the first waiter, which is live and exclusive. Answers with what is then in the way of others, or with
-- nothing if the table has to decide; that finds all as it was, but for a dead waiter at the head, which is taken out.
-- 'joins' is a holder id that enters the queue at its end, as 'entry'; without it nobody does.
local function pass(got, own, joins, entry)
  local record, fence = got[1], got[2]
  if not record or not fence or sub(record, 1, 42) ~= 'q\n' .. own or find(record, '\n', 43, true) ~= #record then
    return
  end
  local expires, flags, delay = match(record, '^ (%d+) (%S+) %d+ %d+ %a %d+ (%d+) ', 43)
  local last, graves, at = match(fence, '^(%d+) (%d+) ()')
  local base, ring = tonumber(last), sub(fence, at, at + 7 * 40 - 1)
  if expires + (find(flags, 'p', 1, true) and 0 or delay) <= now or base <= 0 or base > 9007199254740991 - 256
      or (joins and (tonumber(graves) > now or find(fence, joins, at, true))) then
    return
  end
  local id = call('LPOP', KEYS[3])
  if not id then return end
  local waiting = call('HGET', KEYS[4], id) or ''
  local deadline, channel, mode, ttl, close, wanted, who =
    match(waiting, '^(%d+) (%S+) (%a) %d+ (%d+) (%d+) (%d+) (.+)$')
  if mode and mode ~= 'X' then
    call('LPUSH', KEYS[3], id)
    return
  end
  call('HDEL', KEYS[4], id)
  if not mode or tonumber(deadline) <= now then return end
  local span = base - micros > 100000 and '1' or wanted
  local first = math.max(base + 1, micros)
  local token, keep = fmt('%.0f', first), math.min(tonumber(ttl), 2000)
  last = span == '1' and token or fmt('%.0f', first + span - 1)
  call('SET', KEYS[2], last .. ' ' .. graves .. ' ' .. id .. ring)
  local held = token .. ' ' .. span .. ' X ' .. ttl .. ' '
  local place = joins and call('HSET', KEYS[4], joins, entry) == 1 and call('RPUSH', KEYS[3], joins)
  local waited = place or call('LINDEX', KEYS[3], 0)
  local px = waited and keep + 3001 or keep + 1
  call('SET', KEYS[1], (waited and 'q\n' or '-\n') .. id .. fmt(' %.0f p ', now + keep + 1)
    .. held .. close .. ' ' .. who .. '\n', 'PX', px)
  if waited then
    call('PEXPIRE', KEYS[3], px)
    call('PEXPIRE', KEYS[4], px)
  end
  call('PUBLISH', channel, id .. ' ' .. token .. ' ' .. span .. ' ' .. keep)
  return (place == 1 and '1 ' or '0 ') .. keep + 1 .. ' 0 ' .. keep .. ' ' .. held .. who
end
