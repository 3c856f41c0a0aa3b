if pass(got, ARGV[1]) then return tag .. 'P' end
