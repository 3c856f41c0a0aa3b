-- What was answered to the last requests about one key, so that a repeated request is answered and not executed again:
-- per request its id of 16 digits, the length of the answer, and the answer; the newest first.
local MOST, LONGEST = 64, 512

-- The answer that a request had, if it was executed already.
local function repeated(done, id)
  local at = 1
  while done and at <= #done do
    local length, from = string.match(done, '^(%d+) ()', at + 16)
    if string.sub(done, at, at + 15) == id then
      local answer = string.sub(done, from, from + length - 1)
      return answer == '' and {'T'} or cmsgpack.unpack(answer)
    end
    at = from + length
  end
end

-- The same with one more; of a long answer only that there was one.
local function remember(done, id, answer)
  local packed = cmsgpack.pack(answer)
  if #packed > LONGEST then packed = '' end
  done = done or ''
  local at, count = 1, 1
  while at <= #done and count < MOST do
    local length, from = string.match(done, '^(%d+) ()', at + 16)
    at, count = from + length, count + 1
  end
  return id .. #packed .. ' ' .. packed .. string.sub(done, 1, at - 1)
end
