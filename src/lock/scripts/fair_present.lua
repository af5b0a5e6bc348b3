-- Opens every script of the fair lock: settles what the present is, and takes those out of the queue whose place is
-- given up. Only the first place is looked at, again and again: whoever stands behind one that is kept, stays.
-- Rule: Redisson's fair lock. It takes the caller's word for the present.
-- KEYS: 2 the queue, 3 the times. ARGV: 1 the caller's milliseconds ('' to ask the server).
local now = tonumber(ARGV[1])
if not now then
  local clock = redis.call('time')
  now = clock[1] * 1000 + math.floor(clock[2] / 1000)
end
local first = redis.call('lindex', KEYS[2], 0)
while first do
  local till = redis.call('zscore', KEYS[3], first)
  if not till or tonumber(till) > now then
    break
  end
  redis.call('lpop', KEYS[2])
  redis.call('zrem', KEYS[3], first)
  first = redis.call('lindex', KEYS[2], 0)
end
