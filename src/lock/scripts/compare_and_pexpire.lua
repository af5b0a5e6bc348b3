-- Gives the key a fresh life where it still carries the own nonce.
-- Rule: extend is compare-and-pexpire.
-- KEYS: the hold. ARGV: the nonce, the life in milliseconds. Answers 1 if prolonged, 0 if missing or foreign.
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('pexpire', KEYS[1], ARGV[2])
end
return 0
