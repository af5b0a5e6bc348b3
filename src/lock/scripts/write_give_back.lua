-- Gives one hold of the writer back; with the last the hold goes, and whoever listens is told.
-- Rule: Redisson's write lock, with its unlock latch.
-- KEYS: the hold, the latch. ARGV: the writer, the channel, the life of the latch in milliseconds ('' for none), the life
-- of the hold where others of the writer are left ('' to leave it).
-- Answers the holds that are left, or nothing where the writer holds none.
local said = ARGV[3] ~= '' and redis.call('get', KEYS[2])
if said then
  return tonumber(said)
end
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
  return false
end
local left = redis.call('hincrby', KEYS[1], ARGV[1], -1)
if left == 0 then
  redis.call('del', KEYS[1])
  redis.call('publish', ARGV[2], 'released')
elseif ARGV[4] ~= '' then
  redis.call('pexpire', KEYS[1], ARGV[4])
end
if ARGV[3] ~= '' then
  redis.call('set', KEYS[2], left, 'px', ARGV[3])
end
return left
