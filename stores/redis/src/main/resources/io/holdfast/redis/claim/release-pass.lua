-- The usual hand-off, without the table, because the whole server waits for it: the only grant, of holder id 'own' and
-- not over, goes to the first waiter, which is live and exclusive. Answers true if it does. If not, the table decides; it
-- finds everything unchanged but for a dead waiter at the head, which is taken out. A sole waiter is in the record, which
-- has been read already, and costs no call of its own.
local function pass(own)
  local record, fence = got[1], got[2]
  if not record or not fence or sub(record, 1, 1) == '-' then return end
  local top = find(record, '\n', 1, true)
  if sub(record, top + 1, top + 40) ~= own or find(record, '\n', top + 41, true) ~= #record then return end
  local expires, flags, delay = match(record, '^ (%d+) (%S+) %d+ %d+ %a %d+ (%d+) ', top + 41)
  local last, tombs_until, at = match(fence, '^(%d+) (%d+) ()')
  local base = tonumber(last)
  if expires + (find(flags, 'p', 1, true) and 0 or delay) <= now or base <= 0 or base > LARGEST then return end

  local sole = sub(record, 1, 1) == 'w'
  local id = sole and sub(record, 3, 42) or call('LPOP', KEYS[3])
  if not id then return end
  local entry = sole and sub(record, 44, top - 1) or call('HGET', KEYS[4], id) or ''
  local deadline, channel, mode, ttl, waiter_delay, wanted, who =
    match(entry, '^(%d+) (%S+) (%a) %d+ (%d+) (%d+) (%d+) (.+)$')
  if mode and mode ~= 'X' then
    if not sole then call('LPUSH', KEYS[3], id) end
    return
  end
  if not sole then call('HDEL', KEYS[4], id) end
  if not mode or tonumber(deadline) <= now then return end

  local first = math.max(base + 1, micros)
  local token, span = fmt('%.0f', first), base - micros > SPAN_LEAD_MICROS and '1' or wanted
  local spent = span == '1' and token or fmt('%.0f', first + span - 1)
  call('SET', KEYS[2], spent .. ' ' .. tombs_until .. ' ' .. sub(id, 1, ID) .. sub(fence, at, at + RING - ID - 1))
  local waits = not sole and call('LINDEX', KEYS[3], 0) and 'q\n' or '-\n'
  local keep = math.min(tonumber(ttl), PROVISIONAL)
  local px = waits == '-\n' and keep + 1 or keep + 1 + LINGER
  call('SET', KEYS[1], waits .. id .. fmt(' %.0f p ', now + keep + 1) .. token .. ' ' .. span .. ' X ' .. ttl .. ' '
    .. waiter_delay .. ' ' .. who .. '\n', 'PX', px)
  if waits == 'q\n' then
    call('PEXPIRE', KEYS[3], px)
    call('PEXPIRE', KEYS[4], px)
  end
  call('PUBLISH', channel, id .. ' ' .. token .. ' ' .. span .. ' ' .. keep)
  return true
end
if pass(ARGV[1]) then return tag .. 'P' end
