-- Deletes the key where it still carries the own nonce, and leaves one signal for whoever waits.
-- Rule: python-redis-lock: signals that nobody took are thrown away first, so there is never more than one; it is kept
-- for a moment only, for a waiter that is about to look.
-- KEYS: the hold, the list. ARGV: the nonce, how long the signal is kept in milliseconds.
-- Answers 1 if deleted, 0 if the key is missing or foreign.
if redis.call('get', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('del', KEYS[2])
redis.call('lpush', KEYS[2], '1')
redis.call('pexpire', KEYS[2], ARGV[2])
return redis.call('del', KEYS[1])
