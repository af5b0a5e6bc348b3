-- Takes a caller out of the queue, and makes those behind it a turn earlier.
-- Rule: Redisson's fair lock, when a call has waited long enough.
-- KEYS: the queue, the times. ARGV: the caller, how many milliseconds its place was kept for.
-- Answers how many places it had.
local behind = false
for _, other in ipairs(redis.call('lrange', KEYS[1], 0, -1)) do
  if behind then
    redis.call('zincrby', KEYS[2], -ARGV[2], other)
  elseif other == ARGV[1] then
    behind = true
  end
end
redis.call('zrem', KEYS[2], ARGV[1])
return redis.call('lrem', KEYS[1], 0, ARGV[1])
