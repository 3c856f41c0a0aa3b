-- L21: a client that asks again after a pause was refused. KEYS: the notes. ARGV: client, its longest pause in ms, tag.
call('HSET', KEYS[1], ARGV[1], fmt('%.0f ', now + 2000) .. ARGV[2])
call('PEXPIRE', KEYS[1], '2000')
return tag .. 'N'
