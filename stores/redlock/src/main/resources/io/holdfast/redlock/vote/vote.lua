-- ARGV 5 bucket, 6 holder, 7 try (fresh for every proposal, U8), 8 token, 9 span, 10 mode, 11 ttl, 12 delay, 13 client,
-- 14 label, 15 pause in ms if a refusal is to be noted (L21), else 0.
-- Answers the node's state, its fence, and: Y left (yes), O vote (the holder has an earlier try here), R vote (in the
-- way), F (token not above the fence), A (token too far ahead, U27), W (withdrawn before it arrived, L1), M (other settings).
keep()
decode()
sweep()
local bucket, id, try, token, ttl, delay = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[11]), tonumber(ARGV[12])
local last, graves, ring = fence(bucket)
last = above_floor(last)
local function decide()
  if node[6] ~= ARGV[2] or node[8] ~= ARGV[3] or node[9] ~= ARGV[4] then return 'M' end
  if graves > now and (buried(id) or buried(id .. try)) then return 'W' end
  local mine = own(id)
  if mine then
    if not in_force(mine) then return 'R ' .. shown(mine) end
    if mine.try == try then return fmt('Y %.0f %s', left_of(mine.expires), mine.flags) end
    return 'O ' .. shown(mine)
  end
  if string.find(ring, sub(id, 1, ID), 1, true) then return 'W' end
  for _, v in ipairs(votes) do
    if not in_force(v) or ARGV[10] == 'X' or v.mode == 'X' then
      if ARGV[15] ~= '0' then note(ARGV[13], ARGV[15]) end
      return 'R ' .. shown(v)
    end
  end
  if token <= last then return 'F' end
  if (token > micros + HOUR and token ~= last + 1) or token > LARGEST - 256 then return 'A' end
  -- Tokens near the clock need not ask it again for half an hour (vote-free.lua); one that went back is asked again.
  local ahead = tonumber(node[7] or '0') - micros
  if ahead < HOUR / 2 or ahead > HOUR then
    call('HSET', KEYS[1], 'limit', fmt('%.0f', math.min(micros + HOUR, LARGEST - 256)))
  end
  last = token + tonumber(ARGV[9]) - 1
  if graves <= now then graves = 0 end
  set_fence(bucket, last, graves, sub(id, 1, ID) .. sub(ring, 1, RING - ID))
  -- One more millisecond, because "now" was rounded down.
  votes[#votes + 1] = {id = id, try = try, expires = now + ttl + 1, flags = state == 'C' and '.' or 'u',
    token = fmt('%.0f', token), span = ARGV[9], mode = ARGV[10], ttl = ttl, delay = delay, who = ARGV[13] .. ' ' .. ARGV[14]}
  return fmt('Y %.0f %s', ttl, state == 'C' and '.' or 'u')
end
local verdict = decide()
save()
return fmt('%s %.0f %s', head(), last, verdict)
