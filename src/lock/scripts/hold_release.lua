-- Gives one hold of the owner back; with the last the key goes, and whoever listens hears of it.
-- Rule: the re-entrant lock of tutorials and of Redisson.
-- KEYS: the hold. ARGV: the owner, the channel ('' for none), and, where giving back an inner hold gives the key a new
-- life, the command that sets it and the life.
-- Answers the holds that are left, or nothing where the owner holds none.
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
  return false
end
local left = redis.call('hincrby', KEYS[1], ARGV[1], -1)
if left > 0 then
  if ARGV[4] then
    redis.call(ARGV[3], KEYS[1], ARGV[4])
  end
  return left
end
redis.call('del', KEYS[1])
if ARGV[2] ~= '' then
  redis.call('publish', ARGV[2], 'released')
end
return 0
