-- The lock table: what every verb does to one name. KEYS come in groups of five that share a hash tag:
--   lock     the grants of the name. First line '-' if no claim waits; 'w' and the waiter (holder id, then as in waiters)
--              if one does; 'q' if the waiters are in the queue. Then one line per grant:
--              holder expires flags token span mode ttl delay client label      (flags: p provisional, r revoked, . none)
--   fence    of the bucket: the last token, the time until which tombstones exist, and the ring: the first 16 digits, which
--              are as random as the rest (U48), of the last eight holder ids that were granted
--   queue    a list of the holder ids that wait
--   waiters  a hash: holder id -> deadline channel mode permits ttl delay span client label
--   tombs    of the bucket: a sorted set of holder ids by the time until which they are not granted ('r' + id: revoked)
-- I1: the lock key lives as long as a grant is not over or a waiter is live; without it the name is free.
-- I2: the queue and the waiters have the same members. I3: a waiter is in the first line or in the queue, never in both.
local function decode(s, record)
  s.was, s.waited = record, sub(record, 1, 1) ~= '-'
  s.sole, s.entry = match(record, '^w (%x+) ([^\n]+)\n')
  local at = find(record, '\n', 1, true)
  for id, expires, flags, token, span, mode, ttl, delay, who in string.gmatch(sub(record, at + 1),
      '(%x+) (%d+) (%S+) (%d+) (%d+) (%a) (%d+) (%d+) ([^\n]+)\n') do
    s.holds[#s.holds + 1] = {id = id, expires = tonumber(expires), flags = flags, token = token, span = span,
      mode = mode, ttl = tonumber(ttl), delay = tonumber(delay), who = who}
  end
end

local function open(at, got)
  local s = {lock = KEYS[at], fence = KEYS[at + 1], queue = KEYS[at + 2], waiters = KEYS[at + 3],
    tombs = KEYS[at + 4], holds = {}, waited = false, last = 0, tombs_until = 0, ring = ''}
  got = got or call('MGET', s.lock, s.fence)
  if got[1] then decode(s, got[1]) end
  if got[2] then
    local last, tombs_until, ring = match(got[2], '^(%d+) (%d+) (%x*)$')
    s.last, s.tombs_until, s.ring = tonumber(last), tonumber(tombs_until), ring
  end
  if s.last > LARGEST then
    error('HOLDFAST the tokens of this bucket have reached 2^53: they cannot be told apart any more')
  end
  return s
end

local function has(h, flag) return find(h.flags, flag, 1, true) ~= nil end
-- A provisional grant was never used, so it leaves no lock-delay (L3).
local function closed_until(h) return has(h, 'p') and h.expires or h.expires + h.delay end
local function in_force(h) return h.expires > now end
local function over(h) return closed_until(h) <= now end

local function holding(s, id)
  for i, h in ipairs(s.holds) do
    if h.id == id then return h, i end
  end
end

local function encode(s)
  local lines = {s.sole and 'w ' .. s.sole .. ' ' .. s.entry .. '\n' or s.waited and 'q\n' or '-\n'}
  for i, h in ipairs(s.holds) do
    lines[i + 1] = fmt('%s %.0f %s %s %s %s %.0f %.0f %s\n',
      h.id, h.expires, h.flags, h.token, h.span, h.mode, h.ttl, h.delay, h.who)
  end
  return table.concat(lines)
end

local function save_lock(s)
  if #s.holds == 0 and not s.waited then
    if s.was then call('DEL', s.lock) end
    return
  end
  local record = encode(s)
  if record == s.was and not s.touched then return end
  local ends = now + 1
  for _, h in ipairs(s.holds) do ends = math.max(ends, closed_until(h)) end
  if s.waited then ends = ends + LINGER end
  local px = fmt('%.0f', ends - now)
  call('SET', s.lock, record, 'PX', px)
  if s.waited and s.queue and not s.sole then
    call('PEXPIRE', s.queue, px)
    call('PEXPIRE', s.waiters, px)
  end
end

local function save(s)
  if s.spent then call('SET', s.fence, fmt('%.0f %.0f %s', s.last, s.tombs_until, s.ring)) end
  save_lock(s)
end

-- L1: this holder id is not granted any more.
local function add_tombstone(s, id, revoked)
  call('ZREMRANGEBYSCORE', s.tombs, '-inf', fmt('%.0f', now))
  s.tombs_until, s.spent = now + TOMBSTONE, true
  local score = fmt('%.0f', s.tombs_until)
  call('ZADD', s.tombs, score, id)
  if revoked then call('ZADD', s.tombs, score, 'r' .. id) end
  call('PEXPIRE', s.tombs, fmt('%.0f', TOMBSTONE))
end

local function has_tombstone(s, id)
  if s.tombs_until <= now then return false end
  local score = call('ZSCORE', s.tombs, id)
  return score and tonumber(score) > now
end

-- U6, as in io.holdfast.spi.support.TokenRule, which also gives the two numbers. U24: %.0f only.
local function draw(s, wanted)
  local base = s.last > 0 and s.last or micros + START_AHEAD_MICROS
  local span = base - micros > SPAN_LEAD_MICROS and 1 or wanted
  local first = math.max(base + 1, micros)
  s.last, s.spent = first + span - 1, true
  return fmt('%.0f', first), fmt('%.0f', span)
end

local function grant(s, id, claim, provisional)
  local token, span = draw(s, claim.span)
  s.ring = sub(sub(id, 1, ID) .. s.ring, 1, RING)
  local keep = provisional and math.min(claim.ttl, PROVISIONAL) or claim.ttl
  -- One millisecond more, because "now" was rounded down.
  local h = {id = id, expires = now + keep + 1, flags = provisional and 'p' or '.', token = token, span = span,
    mode = claim.mode, ttl = claim.ttl, delay = claim.delay, who = claim.who}
  s.holds[#s.holds + 1] = h
  return h, keep
end

local function room(s, claim)
  for _, h in ipairs(s.holds) do
    if not in_force(h) or claim.mode == 'X' or h.mode ~= claim.mode then return false end
  end
  return claim.mode ~= 'P' or #s.holds < claim.permits
end

local function waiter(entry)
  local deadline, channel, mode, permits, ttl, delay, span, who =
    match(entry, '^(%d+) (%S+) (%a) (%d+) (%d+) (%d+) (%d+) (.+)$')
  return {deadline = tonumber(deadline), channel = channel, mode = mode, permits = tonumber(permits),
    ttl = tonumber(ttl), delay = tonumber(delay), span = tonumber(span), who = who}
end

-- Takes the first waiter out.
local function leave(s, id)
  if s.sole then
    s.sole, s.waited = nil, false
  else
    call('LPOP', s.queue)
    call('HDEL', s.waiters, id)
  end
end

-- The first live waiter; the dead ones before it are taken out.
local function first_live(s)
  while s.waited do
    local id = s.sole or call('LINDEX', s.queue, 0)
    if not id then
      s.waited = false
      return nil
    end
    local entry = s.sole and s.entry or call('HGET', s.waiters, id)
    local claim = entry and waiter(entry)
    if claim and claim.deadline > now then return id, claim end
    leave(s, id)
  end
end

-- Adds a waiter at the end, unless it waits already. The first waiter needs no queue; the second one moves both there.
local function join(s, id, entry)
  if not s.waited or s.sole == id then
    s.sole, s.entry = id, entry
  else
    if s.sole then
      call('HSET', s.waiters, s.sole, s.entry)
      call('RPUSH', s.queue, s.sole)
      s.sole = nil
    end
    if call('HSET', s.waiters, id, entry) == 1 then call('RPUSH', s.queue, id) end
  end
  s.waited, s.touched = true, true
end

-- L4: takes out the grants that are over, and pushes the lock to the first live waiters.
local function advance(s)
  local left = {}
  for _, h in ipairs(s.holds) do
    if not over(h) then left[#left + 1] = h end
  end
  s.holds = left
  local id, claim = first_live(s)
  while id and room(s, claim) do
    leave(s, id)
    local h, keep = grant(s, id, claim, true)
    call('PUBLISH', claim.channel, fmt('%s %s %s %.0f', id, h.token, h.span, keep))
    id, claim = first_live(s)
  end
  return id
end

-- "now" was rounded down, so a millisecond less than the difference is what is certainly left.
local function left_of(time) return math.max(0, time - now - 1) end

local function shown(h)
  return fmt('%.0f %s %s %s %.0f %s', left_of(h.expires), h.token, h.span, h.mode, h.ttl, h.who)
end

local function any_holder(s)
  for _, h in ipairs(s.holds) do
    if in_force(h) then return shown(h) end
  end
  return '-'
end

local function closed_for(s)
  local longest = -1
  for _, h in ipairs(s.holds) do longest = math.max(longest, closed_until(h) - now) end
  return longest
end

-- What is in the way: for how long at most (-1: nothing), whether it is a lock-delay, and the holder.
local function obstacle(s)
  local closed, holder = closed_for(s), any_holder(s)
  return fmt('%.0f %s %s', closed, (holder == '-' and closed > 0) and '1' or '0', holder)
end

local function granted(h)
  return fmt('G %s %s %.0f %s', h.token, h.span, left_of(h.expires), has(h, 'p') and 'p' or '.')
end

-- Release and cancel are one verb (L5): ends the grant, the lock-delay or the place in the queue of this holder id.
local function release(s, id)
  local own, at = holding(s, id)
  local held = own and not over(own)
  if own then table.remove(s.holds, at) end
  if not held then
    if s.sole == id then
      leave(s, id)
    elseif s.waited and not s.sole and call('HDEL', s.waiters, id) == 1 then
      call('LREM', s.queue, 1, id)
    end
    add_tombstone(s, id)
  end
  advance(s)
  return held and 'H' or 'N ' .. any_holder(s)
end

-- L3, L9: a little beyond the wait, so that the place can pass to the next local waiter (ADR 12).
local function deadline(left) return now + math.min(LIVE, left + GRACE) end

-- The claim in ARGV; see take-free.lua.
local function claimed()
  local mode, _, _, who = match(ARGV[5], '^(%a) (%d+) (%d+) (.+)$')
  local wait, permits, channel = match(ARGV[6], '^(%S+) (%d+) (%S+)$')
  return {mode = mode, permits = tonumber(permits), ttl = tonumber(ARGV[2]), delay = tonumber(ARGV[3]),
    span = tonumber(ARGV[4]), who = who, channel = channel, wait = tonumber(wait)}
end

-- Grants the lock, or queues the claim if it waits, or refuses it.
local function take(s, id, claim)
  if has_tombstone(s, id) then return 'W ' .. obstacle(s) end
  local spent = find(s.ring, sub(id, 1, ID), 1, true)
  local head = advance(s)
  local own = holding(s, id)
  if own and in_force(own) then return granted(own) end
  if own or spent then return 'W ' .. obstacle(s) end
  if not head and room(s, claim) then
    local h, keep = grant(s, id, claim, false)
    return fmt('G %s %s %.0f .', h.token, h.span, keep)
  end
  if claim.wait < 0 then return 'R ' .. obstacle(s) end
  join(s, id, fmt('%.0f %s %s %.0f %.0f %.0f %.0f %s', deadline(claim.wait), claim.channel, claim.mode, claim.permits,
    claim.ttl, claim.delay, claim.span, claim.who))
  return 'Q ' .. ((head or id) == id and '1 ' or '0 ') .. obstacle(s)
end
