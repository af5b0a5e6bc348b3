-- Deletes the key where it still carries the own nonce.
-- Rule: release is compare-and-delete.
-- KEYS: the hold. ARGV: the nonce. Answers 1 if deleted, 0 if the key is missing or foreign.
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('del', KEYS[1])
end
return 0
