-- As hold_release.lua, and keeps its answer under a key of this one release: sent again, it answers the same and does
-- nothing.
-- Rule: the unlock latch of Redisson.
-- KEYS: the hold, the latch. ARGV: the owner, the channel ('' for none), the life of the latch in milliseconds, and,
-- where giving back an inner hold gives the key a new life, the command that sets it and the life.
-- Answers the holds that are left, or nothing where the owner holds none.
local answered = redis.call('get', KEYS[2])
if answered then
  return tonumber(answered)
end
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
  return false
end
local left = redis.call('hincrby', KEYS[1], ARGV[1], -1)
if left > 0 then
  if ARGV[5] then
    redis.call(ARGV[4], KEYS[1], ARGV[5])
  end
else
  redis.call('del', KEYS[1])
  if ARGV[2] ~= '' then
    redis.call('publish', ARGV[2], 'released')
  end
  left = 0
end
redis.call('set', KEYS[2], left, 'px', ARGV[3])
return left
