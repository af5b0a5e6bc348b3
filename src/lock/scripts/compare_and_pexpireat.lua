-- Lets the key live until a moment of the caller's own wall clock, where it still carries the own nonce.
-- Rule: found in libraries (rueidis' rueidislock, a-mutex for Rust); the clocks of caller and server must agree.
-- KEYS: the hold. ARGV: the nonce, the Unix time in milliseconds. Answers 1 if prolonged, 0 if missing or foreign.
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('pexpireat', KEYS[1], ARGV[2])
end
return 0
