for i = 1, #ARGV - 1 do
  local id = ARGV[i]
  if not answers[i] then
    local s = {lock = KEYS[2 * i - 1], holds = {}}
    local record = call('GET', s.lock)
    if record then decode(s, record) end
    local own = holding(s, id)
    if own and in_force(own) and not has(own, 'r') then
      own.expires, own.flags = now + own.ttl + 1, '.'
      save_lock(s)
      answers[i] = fmt('K %.0f', own.ttl)
    elseif (own and has(own, 'r')) or (not own and call('ZSCORE', KEYS[2 * i], 'r' .. id)) then
      answers[i] = 'X'
    else
      answers[i] = 'L'
    end
  end
end
return tag .. table.concat(answers, '\n')
