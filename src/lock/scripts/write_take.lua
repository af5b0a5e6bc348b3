-- Takes the lock for a writer, who is alone and may enter again.
-- Rule: Redisson's write lock.
-- KEYS: the hold. ARGV: the writer, its life in milliseconds ('' for none), `add` or `reset`: what becomes of the life
-- that is left where the writer enters again.
-- Answers nothing if acquired, else the milliseconds that the hold still has, -1 if it never expires.
local mode = redis.call('hget', KEYS[1], 'mode')
if mode and redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
  return redis.call('pttl', KEYS[1])
end
local life = tonumber(ARGV[2])
if mode and life and ARGV[3] == 'add' then
  life = life + math.max(redis.call('pttl', KEYS[1]), 0)
end
redis.call('hset', KEYS[1], 'mode', 'write')
redis.call('hincrby', KEYS[1], ARGV[1], 1)
if life then
  redis.call('pexpire', KEYS[1], life)
end
return false
