-- Takes a free key and raises the fence beside it, in one step.
-- Rule: SET NX PX of the specification, with a counter as in Redisson's FencedLock. INCR comes before SET, so
-- that an INCR that fails leaves no key behind: an error reply then means that no hold was written.
-- KEYS: the hold, the fence counter. ARGV: the nonce, the life in milliseconds (left out: no expiry).
-- Answers the fence, or nothing where the key is taken.
if redis.call('exists', KEYS[1]) == 1 then
  return false
end
local fence = redis.call('incr', KEYS[2])
if ARGV[2] then
  redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
else
  redis.call('set', KEYS[1], ARGV[1])
end
return fence
