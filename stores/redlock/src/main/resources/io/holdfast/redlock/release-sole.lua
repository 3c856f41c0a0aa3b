-- The usual case first, without the rest of the node: the only vote for the name is this holder's, and its client has
-- proposed no higher token in the bucket, so that nothing of it can be under way. Its id is in the ring since the vote, and
-- its key ends when the vote is over: no clock is needed, and nothing has to be written. Keys and arguments are those of
-- release.lua. The answer says nothing of the node.
if ARGV[6] == '' then
  local record = redis.call('GET', KEYS[2])
  if record then
    local id, token, span, ends = string.match(record, '^(%x+) %x+ %d+ %S+ (%d+) (%d+) [^\n]+\n()')
    if id == ARGV[5] and ends == #record + 1 and token + span > tonumber(ARGV[8]) then
      redis.call('DEL', KEYS[2])
      return 'H'
    end
  end
end
