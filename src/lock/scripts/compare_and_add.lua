-- Adds to the life that is left of a key, where it still carries the own nonce.
-- Rule: found in redis-py (Lock.extend without replace_ttl).
-- KEYS: the hold. ARGV: the nonce, what to add in milliseconds. Answers 1 if prolonged, 0 if missing or foreign, or
-- without an expiry.
if redis.call('get', KEYS[1]) ~= ARGV[1] then
  return 0
end
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  return 0
end
return redis.call('pexpire', KEYS[1], left + tonumber(ARGV[2]))
