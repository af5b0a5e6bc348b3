-- As hold_acquire.lua, and raises the fence beside the hold with every hold that it counts, the owner's own too.
-- Rule: Redisson's FencedLock.
-- KEYS: the hold, the fence counter. ARGV: as hold_acquire.lua.
-- Answers {1, fence} if acquired, else {0, the milliseconds that the key still has, -1 if it never expires}.
local held = redis.call('hexists', KEYS[1], ARGV[1]) == 1
if not held and redis.call('exists', KEYS[1]) == 1 then
  return {0, redis.call('pttl', KEYS[1])}
end
local fence = redis.call('incr', KEYS[2])
redis.call('hincrby', KEYS[1], ARGV[1], 1)
if held and ARGV[4] then
  redis.call(ARGV[2], KEYS[1], ARGV[3], ARGV[4])
elseif ARGV[3] then
  redis.call(ARGV[2], KEYS[1], ARGV[3])
end
return {1, fence}
