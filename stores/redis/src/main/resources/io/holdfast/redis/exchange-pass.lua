-- ARGV: as for take, then the holder id that is given up. Those who wait come first (Q5).
local got = call('MGET', KEYS[1], KEYS[2])
local passed = pass(got, ARGV[10], ARGV[1], fmt('%.0f %s %s %s %s %s %s %s', now + math.min(2000, tonumber(ARGV[2]) + 200),
  ARGV[9], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]))
if passed then return tag .. 'H\nQ ' .. passed end
