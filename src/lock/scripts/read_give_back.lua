-- Gives one hold of a reader back. The hash lives on as long as the longest hold of those who are left; with the last, or
-- where all that are left are over, it goes, and whoever listens is told.
-- Rule: Redisson's read lock, with its unlock latch.
-- KEYS: the hold, the beginning of the names of all readers' own keys, the latch. ARGV: the reader, the channel, the life
-- of the latch in milliseconds ('' for none), `longest` or `own`, the reader's life in milliseconds ('' for none).
-- Answers the readers' holds that are left, or nothing where the reader holds none.
local said = ARGV[3] ~= '' and redis.call('get', KEYS[3])
if said then
  return tonumber(said)
end
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
  return false
end
local count = redis.call('hincrby', KEYS[1], ARGV[1], -1)
if count == 0 then
  redis.call('hdel', KEYS[1], ARGV[1])
end
redis.call('del', KEYS[2] .. ARGV[1] .. ':' .. (count + 1))
local left, longest = 0, -2
for _, reader in ipairs(redis.call('hkeys', KEYS[1])) do
  if reader ~= 'mode' then
    local holds = tonumber(redis.call('hget', KEYS[1], reader))
    left = left + holds
    for hold = 1, holds do
      local rest = redis.call('pttl', KEYS[2] .. reader .. ':' .. hold)
      if rest == -1 or longest == -1 then
        longest = -1
      else
        longest = math.max(longest, rest)
      end
    end
  end
end
if left == 0 or (ARGV[4] == 'longest' and (longest == -2 or longest == 0)) then
  redis.call('del', KEYS[1])
  redis.call('publish', ARGV[2], 'released')
elseif ARGV[4] == 'longest' then
  if longest > 0 then
    redis.call('pexpire', KEYS[1], longest)
  end
elseif ARGV[5] ~= '' then
  redis.call('pexpire', KEYS[1], ARGV[5])
end
if ARGV[3] ~= '' then
  redis.call('set', KEYS[3], left, 'px', ARGV[3])
end
return left
