-- The usual case first, without the rest of the node: the only vote for the name is this holder's, no client is noted as
-- waiting for it (L21), and its client has proposed no higher token in the bucket, so that nothing of it can be under way.
-- Its id is in the ring since the vote, and its key ends when the vote is over: no clock is needed, and nothing has to be
-- written. Keys and arguments are those of release.lua. The answer says nothing of the node.
if ARGV[6] == '' then
  local found = redis.call('MGET', KEYS[2], KEYS[4])
  local record = found[1]
  if record and not found[2] then
    local id, token, span, ends = string.match(record, '^(%x+) %x+ %d+ %S+ (%d+) (%d+) [^\n]+\n()')
    if id == ARGV[5] and ends == #record + 1 and token + span > tonumber(ARGV[8]) then
      redis.call('DEL', KEYS[2])
      return ARGV[9] .. ' H'
    end
  end
end
