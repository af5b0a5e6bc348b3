-- Takes a free lock for the first of the queue, counts a hold of the owner once more, or queues the caller.
-- Follows fair_present.lua.
-- Rule: Redisson's fair lock. Whoever is served makes everybody behind a turn earlier.
-- KEYS: the hold, the queue, the times. ARGV: 2 the caller, 3 the life of the hold in milliseconds ('' for none), 4 how
-- many milliseconds its place is kept beyond those before it ('' not to queue), 5 `score` or `pttl`: what is answered to
-- a caller that stands in the queue.
-- Answers nothing if acquired, else how many milliseconds to wait; below 0 nobody knows.
local free = redis.call('exists', KEYS[1]) == 0
if free and (not first or first == ARGV[2]) then
  if first then
    redis.call('lpop', KEYS[2])
    redis.call('zrem', KEYS[3], ARGV[2])
    for _, other in ipairs(redis.call('zrange', KEYS[3], 0, -1)) do
      redis.call('zincrby', KEYS[3], -(tonumber(ARGV[4]) or 0), other)
    end
  end
elseif redis.call('hexists', KEYS[1], ARGV[2]) == 0 then
  local place = redis.call('zscore', KEYS[3], ARGV[2])
  local rest
  if place then
    rest = place - (tonumber(ARGV[4]) or 0) - now
  else
    local last = redis.call('lindex', KEYS[2], -1)
    local till = last and redis.call('zscore', KEYS[3], last)
    rest = till and till - now or redis.call('pttl', KEYS[1])
    if ARGV[4] ~= '' then
      redis.call('rpush', KEYS[2], ARGV[2])
      redis.call('zadd', KEYS[3], string.format('%.0f', now + rest + ARGV[4]), ARGV[2])
    end
  end
  if ARGV[5] == 'pttl' then
    local head = redis.call('lindex', KEYS[2], 0)
    local till = free and head and redis.call('zscore', KEYS[3], head)
    return till and math.max(till - now, 1) or redis.call('pttl', KEYS[1])
  end
  return rest
end
redis.call('hincrby', KEYS[1], ARGV[2], 1)
if ARGV[3] ~= '' then
  redis.call('pexpire', KEYS[1], ARGV[3])
end
return false
