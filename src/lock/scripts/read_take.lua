-- Takes the lock for a reader, beside other readers.
-- Rule: Redisson's read lock: the hash has a mode, a count for each reader, and a life that all share; each hold of a
-- reader also has a key of its own, by whose life the hash's is computed when a reader goes.
-- KEYS: the hold, the beginning of the names of the reader's own keys. ARGV: the reader, its life in milliseconds ('' for
-- none), `longest` or `own`: what the hash's life becomes.
-- Answers nothing if acquired, else the milliseconds that the hold still has, -1 if it never expires.
local mode = redis.call('hget', KEYS[1], 'mode')
if mode == 'write' then
  return redis.call('pttl', KEYS[1])
end
redis.call('hset', KEYS[1], 'mode', 'read')
local count = redis.call('hincrby', KEYS[1], ARGV[1], 1)
if ARGV[2] == '' then
  redis.call('set', KEYS[2] .. count, '1')
  redis.call('persist', KEYS[1])
  return false
end
redis.call('set', KEYS[2] .. count, '1', 'px', ARGV[2])
local rest = redis.call('pttl', KEYS[1])
if not mode or ARGV[3] == 'own' then
  redis.call('pexpire', KEYS[1], ARGV[2])
elseif rest >= 0 then
  redis.call('pexpire', KEYS[1], math.max(rest, tonumber(ARGV[2])))
end
return false
