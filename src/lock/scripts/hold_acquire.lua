-- Counts one more hold of the owner, if the lock is free or the owner's already.
-- Rule: the re-entrant lock of tutorials and of Redisson: a hash of owner and count. The count comes before the life,
-- so that a life that Redis refuses leaves a hold without one.
-- KEYS: the hold. ARGV: the owner, the command that sets a life, the life (left out: no expiry), and an option for that
-- command where the owner held already.
-- Answers nothing if acquired, else the milliseconds that the key still has, -1 if it never expires.
local held = redis.call('hexists', KEYS[1], ARGV[1]) == 1
if not held and redis.call('exists', KEYS[1]) == 1 then
  return redis.call('pttl', KEYS[1])
end
redis.call('hincrby', KEYS[1], ARGV[1], 1)
if held and ARGV[4] then
  redis.call(ARGV[2], KEYS[1], ARGV[3], ARGV[4])
elseif ARGV[3] then
  redis.call(ARGV[2], KEYS[1], ARGV[3])
end
return false
