-- Takes a key that is free, or that carries the own nonce already, with a fresh life.
-- Rule: found in libraries (bsm/redislock, leandromoreira/redlock-rb, aioredlock, Spring Integration): a repeated
-- attempt with the same nonce does not meet itself, and whoever knows the nonce shares the lock.
-- KEYS: the hold. ARGV: the nonce, the life in milliseconds (left out: no expiry). Answers 1 if it is held, 0 if not.
local stored = redis.call('get', KEYS[1])
if stored and stored ~= ARGV[1] then
  return 0
end
if ARGV[2] then
  redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
else
  redis.call('set', KEYS[1], ARGV[1])
end
return 1
