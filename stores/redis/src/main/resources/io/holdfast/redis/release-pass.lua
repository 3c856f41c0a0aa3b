if pass(got, ARGV[1]) then return 'P' end
