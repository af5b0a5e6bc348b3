-- Gives all holds of a reader a fresh life; that of the hash grows with them and never shrinks.
-- Rule: the watchdog of Redisson's read lock, which renews the holds of all readers: here only those of whoever asks.
-- KEYS: the hold, the beginning of the names of the reader's own keys. ARGV: the reader, the life in milliseconds.
-- Answers 1 if prolonged, 0 where the reader holds nothing.
local count = redis.call('hget', KEYS[1], ARGV[1])
if not count then
  return 0
end
for hold = 1, tonumber(count) do
  redis.call('pexpire', KEYS[2] .. hold, ARGV[2])
end
local rest = redis.call('pttl', KEYS[1])
if rest >= 0 then
  redis.call('pexpire', KEYS[1], math.max(rest, tonumber(ARGV[2])))
end
return 1
