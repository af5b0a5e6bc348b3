-- Gives the key a fresh life where it carries the own nonce and has a life already.
-- Rule: python-redis-lock.
-- KEYS: the hold. ARGV: the nonce, the command that sets a life, the life.
-- Answers 1 if prolonged, 0 if the key is missing, foreign or without a life.
if redis.call('get', KEYS[1]) ~= ARGV[1] or redis.call('pttl', KEYS[1]) < 0 then
  return 0
end
return redis.call(ARGV[2], KEYS[1], ARGV[3])
