-- Gives the key a fresh life where it carries the own nonce, and sets it again where it is missing.
-- Rule: a deviation found in libraries (RedLock.net and aioredlock): whoever held the key in
-- between is not noticed.
-- KEYS: the hold. ARGV: the nonce, the life in milliseconds. Answers 1 if it lives again, 0 if it is foreign.
local stored = redis.call('get', KEYS[1])
if stored == ARGV[1] then
  return redis.call('pexpire', KEYS[1], ARGV[2])
end
if stored then
  return 0
end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
return 1
