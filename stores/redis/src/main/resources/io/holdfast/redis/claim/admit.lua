local refused, mark = judge(redis.call('GET', KEYS[1]))
if mark then redis.call('SET', KEYS[1], mark) end
return ARGV[4] .. ' ' .. (refused or 'A')
