-- The usual hand-off without the table, because others wait for the whole of its time: the only grant, 'own' and not
-- over, goes to the first waiter, which is live and exclusive. Answers with what is then in the way of others, or with
-- nothing if the table has to decide; that finds all as it was, but for a dead waiter at the head, which is taken out.
-- 'joins' is a holder id that enters the queue at its end, as 'entry'; without it nobody does. A sole waiter is in the
-- record that has to be read anyway: it costs no call of its own, and on an idle server each call is microseconds.
local function pass(got, own, joins, entry)
  local record, fence = got[1], got[2]
  if not record or not fence or sub(record, 1, 1) == '-' then return end
  local top = find(record, '\n', 1, true)
  if sub(record, top + 1, top + 40) ~= own or find(record, '\n', top + 41, true) ~= #record then return end
  local expires, flags, delay = match(record, '^ (%d+) (%S+) %d+ %d+ %a %d+ (%d+) ', top + 41)
  local last, graves, at = match(fence, '^(%d+) (%d+) ()')
  local base, ring = tonumber(last), sub(fence, at, at + 7 * 16 - 1)
  if expires + (find(flags, 'p', 1, true) and 0 or delay) <= now or base <= 0 or base > 9007199254740991 - 256
      or (joins and (tonumber(graves) > now or find(fence, sub(joins, 1, 16), at, true))) then
    return
  end
  local sole = sub(record, 1, 1) == 'w'
  local id = sole and sub(record, 3, 42) or call('LPOP', KEYS[3])
  if not id then return end
  local waiting = sole and sub(record, 44, top - 1) or call('HGET', KEYS[4], id) or ''
  local deadline, channel, mode, ttl, close, wanted, who =
    match(waiting, '^(%d+) (%S+) (%a) %d+ (%d+) (%d+) (%d+) (.+)$')
  if mode and mode ~= 'X' then
    if not sole then call('LPUSH', KEYS[3], id) end
    return
  end
  if not sole then call('HDEL', KEYS[4], id) end
  if not mode or tonumber(deadline) <= now then return end
  local span = base - micros > 100000 and '1' or wanted
  local first = math.max(base + 1, micros)
  local token, keep = fmt('%.0f', first), math.min(tonumber(ttl), 2000)
  last = span == '1' and token or fmt('%.0f', first + span - 1)
  call('SET', KEYS[2], last .. ' ' .. graves .. ' ' .. sub(id, 1, 16) .. ring)
  local held = token .. ' ' .. span .. ' X ' .. ttl .. ' '
  local place, waits = joins and 1, joins and 'w ' .. joins .. ' ' .. entry .. '\n' or '-\n'
  if not sole then
    place = joins and call('HSET', KEYS[4], joins, entry) == 1 and call('RPUSH', KEYS[3], joins)
    waits = (place or call('LINDEX', KEYS[3], 0)) and 'q\n' or '-\n'
  end
  local px = waits == '-\n' and keep + 1 or keep + 3001
  call('SET', KEYS[1], waits .. id .. fmt(' %.0f p ', now + keep + 1) .. held .. close .. ' ' .. who .. '\n', 'PX', px)
  if waits == 'q\n' then
    call('PEXPIRE', KEYS[3], px)
    call('PEXPIRE', KEYS[4], px)
  end
  call('PUBLISH', channel, id .. ' ' .. token .. ' ' .. span .. ' ' .. keep)
  return (place == 1 and '1 ' or '0 ') .. keep + 1 .. ' 0 ' .. keep .. ' ' .. held .. who
end
