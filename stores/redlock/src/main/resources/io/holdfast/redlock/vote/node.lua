-- One node of a deployment: what it remembers of itself, of a lock, of a bucket. Every script begins with this part.
--   KEYS 1 node    a hash: run (the run id it remembers under), until (end of quarantine, ms), epoch, learned, floor,
--                  limit (up to which token its clock was asked already, U27); the deployment's settings max, fsync and
--                  quarantine (U33); and per bucket its fence: the last token voted for, until when it has tombstones,
--                  and the beginnings of the last eight holder ids that had a vote there
--        2 lock    the votes for a name, a line each (see decode)
--        3 tombs   of the bucket: a sorted set of withdrawn ids by the time until which they are remembered
--        4 notes   of the name: the clients that wait for it, a line each (see note)
--   ARGV 1 run id that this connection read   2 maxTtl, ms   3 "always" if the disk has every write, else "everysec"
--        4 quarantine "on" or "off"           the last one: what the answer begins with (U29)
-- I1: a lock key lives as long as one of its votes is not over. I2: a fence only rises while the node remembers.
local call, fmt, match, sub = redis.call, string.format, string.match, string.sub
local clock = call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)
local LARGEST, HOUR, GRAVE, RING, ID = 9007199254740991, 3600000000, 10000, 8 * 16, 16
-- A proposal is decided within so many ms where nodes have no longer quarantine (Ballot.grant).
local ROUND = 1000

-- U9: a node whose key is missing or has another run id forgot; a changed run id alone is no loss with fsync=always. The
-- node's own settings decide, and it takes over those of the client only where it has none: it is empty, or was written by
-- a version that did not keep them (U33). Without quarantine it still waits for the end of what it voted on, and relearns
-- (U7): tokens depend on that. What it has to remember is written by keep().
local function remember()
  local n = call('HMGET', KEYS[1], 'run', 'until', 'epoch', 'learned', 'floor', 'max', 'limit', 'fsync', 'quarantine')
  local known = n[6] and n[8] and n[9]
  n[6], n[8], n[9] = n[6] or ARGV[2], n[8] or ARGV[3], n[9] or ARGV[4]
  local settings = {'run', ARGV[1], 'max', n[6], 'fsync', n[8], 'quarantine', n[9]}
  if n[1] == ARGV[1] then return n, false, not known and settings end
  if n[1] and n[8] == 'always' then return n, false, settings end
  local max = math.max(tonumber(ARGV[2]), tonumber(n[6]))
  n[2] = fmt('%.0f', now + (n[9] == 'off' and math.min(max, ROUND) or max))
  n[3] = ARGV[1] .. ':' .. fmt('%.0f', micros)
  n[4], n[5], n[7] = '0', n[5] or '0', '0'
  return n, true, {'until', n[2], 'epoch', n[3], 'learned', '0', 'floor', n[5], 'limit', '0', unpack(settings)}
end

local node, forgot, fresh = remember()
-- Every script that may write begins with this; one that only looks leaves the node as it is (U31).
local function keep()
  if fresh then call('HSET', KEYS[1], unpack(fresh)) end
end

-- C: counts. Q: in quarantine. L: its quarantine is over and its fences are not raised yet (U7).
local state = tonumber(node[2]) > now and 'Q' or (node[4] == '1' and 'C' or 'L')
local function head()
  return fmt('%s %s %.0f %s %s %s,%s,%s', ARGV[#ARGV], state, math.max(0, tonumber(node[2]) - now), node[3],
    forgot and '1' or '0', node[6], node[8], node[9])
end

local votes, was = {}, nil
local function decode()
  was = call('GET', KEYS[2])
  if not was then return end
  -- flags: u cast while the node did not count, r revoked, . none
  for id, try, expires, flags, token, span, mode, ttl, delay, who in string.gmatch(was,
      '(%x+) (%x+) (%d+) (%S+) (%d+) (%d+) (%a) (%d+) (%d+) ([^\n]+)\n') do
    votes[#votes + 1] = {id = id, try = try, expires = tonumber(expires), flags = flags, token = token, span = span,
      mode = mode, ttl = tonumber(ttl), delay = tonumber(delay), who = who}
  end
  -- The short way leaves the end of its vote to the key; it is then the only one.
  local sole = votes[1]
  if sole and sole.expires == 0 then sole.expires = now + call('PTTL', KEYS[2]) - sole.delay end
end

local function has(v, flag) return string.find(v.flags, flag, 1, true) ~= nil end
local function in_force(v) return v.expires > now end
local function over(v) return v.expires + v.delay <= now end
local function left_of(time) return math.max(0, time - now - 1) end

local function sweep()
  local left = {}
  for _, v in ipairs(votes) do
    if not over(v) then left[#left + 1] = v end
  end
  votes = left
end

local function save()
  local lines, ends = {}, now + 1
  for i, v in ipairs(votes) do
    lines[i] = fmt('%s %s %.0f %s %s %s %s %.0f %.0f %s\n',
      v.id, v.try, v.expires, v.flags, v.token, v.span, v.mode, v.ttl, v.delay, v.who)
    ends = math.max(ends, v.expires + v.delay)
  end
  local record = table.concat(lines)
  if record == '' then
    if was then call('DEL', KEYS[2]) end
  elseif record ~= was then
    call('SET', KEYS[2], record, 'PX', fmt('%.0f', ends - now))
  end
end

local function own(id)
  for i, v in ipairs(votes) do
    if v.id == id then return v, i end
  end
end

local function fence(bucket)
  local last, graves, ring = match(call('HGET', KEYS[1], bucket) or '0', '^(%d+) ?(%d*) ?(%x*)$')
  return tonumber(last), tonumber(graves) or 0, ring
end

-- The floor was learned for all buckets at once (U7).
local function above_floor(last) return math.max(last, tonumber(node[5])) end

local function set_fence(bucket, last, graves, ring)
  call('HSET', KEYS[1], bucket, fmt('%.0f %.0f %s', last, graves, ring))
end

-- L1: a holder id that had a vote is remembered in the ring, and has no vote afterwards; a holder whose try was withdrawn
-- may try again. What was not there is remembered in a tombstone.
local function pardon(id, bucket)
  local last, graves, ring = fence(bucket)
  local at = string.find(ring, sub(id, 1, ID), 1, true)
  if at then set_fence(bucket, last, graves, sub(ring, 1, at - 1) .. sub(ring, at + ID)) end
end

local function bury(what, bucket)
  call('ZREMRANGEBYSCORE', KEYS[3], '-inf', fmt('%.0f', now))
  call('ZADD', KEYS[3], fmt('%.0f', now + GRAVE), what)
  call('PEXPIRE', KEYS[3], fmt('%.0f', GRAVE))
  local last, _, ring = fence(bucket)
  set_fence(bucket, last, now + GRAVE, ring)
end

local function buried(what)
  local score = call('ZSCORE', KEYS[3], what)
  return score and tonumber(score) > now
end

local function shown(v)
  return fmt('%s %s %s %.0f %.0f %s %s %s %.0f %s', v.id, v.try, v.flags, left_of(v.expires),
    math.max(0, v.expires + v.delay - now), v.token, v.span, v.mode, v.ttl, v.who)
end

-- L21: a client that waits is noted for 2 s, apart from the votes. The last 32 clients are enough to know a long pause.
local NOTED, MOST_NOTES = 2000, 32
local function notes(except)
  local lines, longest = {}, 0
  for client, ends, pause in string.gmatch(call('GET', KEYS[4]) or '', '(%S+) (%d+) (%d+)\n') do
    if client ~= except and tonumber(ends) > now then
      lines[#lines + 1] = fmt('%s %s %s\n', client, ends, pause)
      longest = math.max(longest, tonumber(pause))
    end
  end
  return lines, longest
end

local function note(client, pause)
  local lines = notes(client)
  if #lines >= MOST_NOTES then table.remove(lines, 1) end
  lines[#lines + 1] = fmt('%s %.0f %s\n', client, now + NOTED, pause)
  call('SET', KEYS[4], table.concat(lines), 'PX', NOTED)
end
