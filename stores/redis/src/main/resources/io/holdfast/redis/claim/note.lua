-- L21: notes that a refused client asks again. KEYS: the notes. ARGV: client, its longest pause in ms.
call('HSET', KEYS[1], ARGV[1], fmt('%.0f ', now + 2000) .. ARGV[2])
call('PEXPIRE', KEYS[1], '2000')
return tag .. 'N'
