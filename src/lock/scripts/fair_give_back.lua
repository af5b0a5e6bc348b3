-- Gives one hold of the owner back; with the last the hold goes, and the first of the queue is told.
-- Follows fair_present.lua.
-- Rule: Redisson's fair lock, with its unlock latch: the answer is kept under a key of this one release, and the same
-- release sent again is answered by it and does nothing.
-- KEYS: the hold, the queue, the times, the latch. ARGV: 2 the owner, 3 the channel, to which a caller's name is added,
-- 4 the life of the latch in milliseconds ('' for none), 5 the life of the hold where others of the owner are left ('' to
-- leave it).
-- Answers the holds that are left, or nothing where the owner holds none.
local said = ARGV[4] ~= '' and redis.call('get', KEYS[4])
if said then
  return tonumber(said)
end
local free = redis.call('exists', KEYS[1]) == 0
local left = 0
if not free then
  if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then
    return false
  end
  left = redis.call('hincrby', KEYS[1], ARGV[2], -1)
end
if left > 0 then
  if ARGV[5] ~= '' then
    redis.call('pexpire', KEYS[1], ARGV[5])
  end
else
  left = 0
  redis.call('del', KEYS[1])
  if first then
    redis.call('publish', ARGV[3] .. first, 'released')
  end
end
if ARGV[4] ~= '' and not free then
  redis.call('set', KEYS[4], left, 'px', ARGV[4])
end
return left
