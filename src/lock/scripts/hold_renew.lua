-- Gives the key a fresh life where the owner holds.
-- Rule: the watchdog of Redisson.
-- KEYS: the hold. ARGV: the owner, the command that sets a life, the life. Answers 1 if prolonged, 0 where the owner
-- holds nothing.
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
  return 0
end
return redis.call(ARGV[2], KEYS[1], ARGV[3])
