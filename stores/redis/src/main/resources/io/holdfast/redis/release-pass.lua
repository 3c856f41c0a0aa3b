if pass(got, ARGV[1]) then return 'H' end
