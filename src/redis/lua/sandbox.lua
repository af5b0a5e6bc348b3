-- The world a script sees: Redis' globals, read-only, without anything that shows addresses, clocks, garbage or
-- an earlier script. Runs once per interpreter, before any script; every local here outlives all scripts.
--
-- Receives the functions that only the host can provide. Returns the environment of scripts and the functions
-- that run one. Source of the names and texts: Redis 7.0.15.

local host, pack, packed, main, set_main = ...

local raw_error, raw_loadstring, raw_next, raw_pcall = error, loadstring, next, pcall
local raw_setfenv, raw_type, raw_xpcall = setfenv, type, xpcall
-- These keep their names, because Lua's messages show the name a function was called by.
local getmetatable, rawget, rawset, setmetatable, tostring = getmetatable, rawget, rawset, setmetatable, tostring
local select, tonumber, unpack, rawequal, ipairs, assert = select, tonumber, unpack, rawequal, ipairs, assert
local raw_create, raw_resume, raw_yield = coroutine.create, coroutine.resume, coroutine.yield
local raw_running, raw_status = coroutine.running, coroutine.status
local byte, find, format, gmatch, gsub = string.byte, string.find, string.format, string.gmatch, string.gsub
local match, rep, sub = string.match, string.rep, string.sub
local concat, insert, remove, sort = table.concat, table.insert, table.remove, table.sort
local floor = math.floor

local limits = host.limits

-- What a script of this run may not carry into the next; `begin` resets it.
local scanned -- the table whose keys were last found to be ordered
local resumed -- how many coroutines are inside each other

-- Read-only tables: an empty table in front of the real one.
local real = {}

local function refuse_write()
  raw_error("Attempt to modify a readonly table", 2)
end

local function protect(t)
  local front = setmetatable({}, { __index = t, __newindex = refuse_write, __metatable = false })
  real[front] = t
  return front
end

local function writable(t)
  if real[t] then
    raw_error("Attempt to modify a readonly table", 0)
  end
end

local function bad_argument(place, name, wanted, value, level)
  local got = value == nil and "no value" or raw_type(value)
  raw_error("bad argument #" .. place .. " to '" .. name .. "' (" .. wanted .. " expected, got " .. got .. ")", level or 3)
end

-- Errors: what stops a script passes through every catcher.

-- `pcall` shows an error of a Redis command as its text.
local function settle(ok, result)
  if ok then
    return true, unpack(result, 1, result.n)
  end
  local caught = host.caught(result)
  if raw_type(caught) == "table" then
    local text = rawget(caught, "err")
    if raw_type(text) == "string" then
      return false, text
    end
  end
  return false, caught
end

local function settle_raw(ok, result)
  if ok then
    return true, unpack(result, 1, result.n)
  end
  return false, host.caught(result)
end

local function guarded_pcall(f, ...)
  return settle(raw_pcall(packed, f, ...))
end

local function guarded_xpcall(...)
  local f, handler = ...
  if select("#", ...) < 2 then
    raw_error("bad argument #2 to 'xpcall' (value expected)", 2)
  end
  local function handle(caught)
    if host.stopped() then
      return caught
    end
    return handler(host.caught(caught))
  end
  local function call()
    return packed(f)
  end
  return settle_raw(raw_xpcall(call, handle))
end

-- Coroutines: the interpreter does not count how deep they nest, so this does.

local function create(f)
  if raw_type(f) ~= "function" then
    raw_error("bad argument #1 to 'create' (Lua function expected)", 2)
  end
  return raw_create(function(...)
    return packed(f, ...)
  end)
end

local function yield(...)
  return raw_yield(pack(...))
end

local function leave(...)
  resumed = resumed - 1
  return settle_raw(...)
end

local function resume(co, ...)
  if raw_type(co) ~= "thread" then
    raw_error("bad argument #1 to 'resume' (coroutine expected)", 2)
  end
  if resumed >= limits.coroutines then
    return false, "C stack overflow"
  end
  host.charge()
  resumed = resumed + 1
  return leave(raw_resume(co, ...))
end

local function pass_on(ok, ...)
  if ok then
    return ...
  end
  raw_error((...), 3)
end

local function wrap(f)
  if raw_type(f) ~= "function" then
    raw_error("bad argument #1 to 'wrap' (Lua function expected)", 2)
  end
  local co = create(f)
  return function(...)
    return pass_on(resume(co, ...))
  end
end

-- Iteration: an order that depends on addresses ends the script.

local by_address = { table = true, ["function"] = true, thread = true, userdata = true }

local function scan(t)
  for key in raw_next, t do
    if by_address[raw_type(key)] then
      host.unordered()
    end
  end
  scanned = t
end

local function ordered_next(t, key)
  if raw_type(t) ~= "table" then
    bad_argument(1, "next", "table", t)
  end
  t = real[t] or t
  if key == nil or scanned ~= t then
    scan(t)
  end
  return raw_next(t, key)
end

local function pairs(t)
  if raw_type(t) ~= "table" then
    bad_argument(1, "pairs", "table", t)
  end
  scan(real[t] or t)
  return ordered_next, t, nil
end

-- Text: no addresses, bounded sizes.

local function plain_tostring(...)
  local text = tostring(...)
  local kind = raw_type((...))
  if by_address[kind] and raw_type(text) == "string" and sub(text, 1, #kind + 2) == kind .. ": " then
    return kind .. ": 0x000000000000"
  end
  return text
end

local function length(text)
  local kind = raw_type(text)
  return (kind == "string" or kind == "number") and #tostring(text) or 0
end

local function bounded_rep(...)
  local text, count = ...
  count = tonumber(count)
  if count and length(text) * count > limits.text then
    raw_error("resulting string too large", 2)
  end
  return rep(...)
end

-- The matcher recurses along the pattern.
local function bounded(matcher)
  return function(...)
    local _, pattern = ...
    if length(pattern) > limits.pattern then
      raw_error("pattern too complex", 2)
    end
    return matcher(...)
  end
end

-- A long pattern without any magic is only searched for.
local function bounded_find(...)
  local _, pattern, _, plain = ...
  if not plain and length(pattern) > limits.pattern and find(pattern, "[%^%$%*%+%?%.%(%[%%%-]") then
    raw_error("pattern too complex", 2)
  end
  return find(...)
end

-- A replacement that calls back is run here: inside the matcher each nested call would hold a large buffer on
-- the host's stack.
local function gsub_calls(text, pattern, with, most)
  local pieces, at, done = {}, 1, 0
  local anchored = sub(pattern, 1, 1) == "^"
  while done < most do
    local found = { find(text, pattern, at) }
    local first, last = found[1], found[2]
    if not first then
      break
    end
    done = done + 1
    local whole = sub(text, first, last)
    local value
    if raw_type(with) == "function" then
      if #found > 2 then
        value = with(unpack(found, 3))
      else
        value = with(whole)
      end
    else
      value = with[found[3] or whole]
    end
    if not value then
      value = whole
    elseif raw_type(value) ~= "string" and raw_type(value) ~= "number" then
      raw_error("invalid replacement value (a " .. raw_type(value) .. ")", 3)
    end
    pieces[#pieces + 1] = sub(text, at, first - 1)
    pieces[#pieces + 1] = value
    if last >= first then
      at = last + 1
    else
      pieces[#pieces + 1] = sub(text, first, first)
      at = first + 1
    end
    if anchored or at > #text + 1 then
      break
    end
  end
  pieces[#pieces + 1] = sub(text, at)
  return concat(pieces), done
end

local function bounded_gsub(...)
  local text, pattern, with, most = ...
  if length(pattern) > limits.pattern then
    raw_error("pattern too complex", 2)
  end
  local kind = raw_type(with)
  if (kind == "function" or kind == "table") and raw_type(text) == "string" and raw_type(pattern) == "string" then
    return gsub_calls(text, pattern, with, tonumber(most) or #text + 1)
  end
  return gsub(...)
end

-- Chunks: text only, in the same world.

local environment

local function compile(text, name)
  -- A binary chunk starts with an escape; behind a space it is a syntax error like any other.
  if byte(text, 1) == 27 then
    text = " " .. text
  end
  local chunk, message = raw_loadstring(text, name)
  if chunk then
    return raw_setfenv(chunk, environment)
  end
  return nil, message
end

local function loadstring(text, name)
  if raw_type(text) == "number" then
    text = tostring(text)
  elseif raw_type(text) ~= "string" then
    bad_argument(1, "loadstring", "string", text)
  end
  return compile(text, name or text)
end

local function load(reader, name)
  if raw_type(reader) ~= "function" then
    bad_argument(1, "load", "function", reader)
  end
  local pieces = {}
  while true do
    local ok, piece = guarded_pcall(reader)
    if not ok then
      return nil, piece
    elseif piece == nil or piece == "" then
      return compile(concat(pieces), name or "=(load)")
    elseif raw_type(piece) ~= "string" then
      return nil, "reader function must return a string"
    end
    pieces[#pieces + 1] = piece
  end
end

-- Randomness: the server's own sequence.

local function whole(place, name, value)
  local number = tonumber(value)
  if not number then
    bad_argument(place, name, "number", value, 4)
  end
  return number < 0 and -floor(-number) or floor(number)
end

local function random(...)
  local drawn = host.draw() / 2147483647
  local given = select("#", ...)
  if given == 0 then
    return drawn
  elseif given > 2 then
    raw_error("wrong number of arguments", 2)
  end
  local low, high = 1, whole(1, "random", (...))
  if given == 2 then
    low, high = high, whole(2, "random", (select(2, ...)))
  end
  if low > high then
    raw_error("bad argument #" .. given .. " to 'random' (interval is empty)", 2)
  end
  return floor(drawn * (high - low + 1)) + low
end

local function randomseed(seed)
  host.seed(whole(1, "randomseed", seed))
end

-- The libraries. Methods of strings go through the real table, so it is changed in place.

string.dump = nil
string.find, string.match, string.gsub, string.rep = bounded_find, bounded(match), bounded_gsub, bounded_rep
string.gmatch = bounded(gmatch)
string.gfind = string.gmatch

local string_front = protect(string)
local string_metatable = protect({ __index = string_front })

table.insert = function(t, ...)
  writable(t)
  return insert(t, ...)
end
table.remove = function(t, ...)
  writable(t)
  return remove(t, ...)
end
table.sort = function(t, ...)
  writable(t)
  return sort(t, ...)
end
table.foreach = function(t, each)
  for key, value in pairs(t) do
    local result = each(key, value)
    if result ~= nil then
      return result
    end
  end
end
math.random, math.randomseed = random, randomseed

local redis = {}
for name, value in raw_next, host.redis do
  redis[name] = value
end

function redis.error_reply(...)
  local text = ...
  if select("#", ...) ~= 1 or raw_type(text) ~= "string" then
    return { err = "ERR wrong number or type of arguments" }
  end
  if sub(text, 1, 1) == "-" then
    text = sub(text, 2)
  end
  text = gsub(text, "[\r\n]+$", "")
  if not find(text, " ", 1, true) then
    text = "ERR " .. text
  end
  return { err = text }
end

function redis.status_reply(...)
  local text = ...
  if select("#", ...) ~= 1 or raw_type(text) ~= "string" then
    return { err = "ERR wrong number or type of arguments" }
  end
  return { ok = text }
end

function redis.replicate_commands()
  return true
end

function redis.set_repl() end

function redis.breakpoint()
  return false
end

function redis.debug() end

-- The version is the server's, and one interpreter serves many.
setmetatable(redis, {
  __index = function(_, name)
    if name == "REDIS_VERSION" or name == "REDIS_VERSION_NUM" then
      return host.version(name)
    end
    return nil
  end,
})

redis.LOG_DEBUG, redis.LOG_VERBOSE, redis.LOG_NOTICE, redis.LOG_WARNING = 0, 1, 2, 3
redis.REPL_NONE, redis.REPL_AOF, redis.REPL_SLAVE, redis.REPL_REPLICA, redis.REPL_ALL = 0, 1, 2, 2, 3

-- The globals.

local globals = {
  _VERSION = _VERSION,
  assert = assert,
  collectgarbage = function()
    return 0
  end,
  coroutine = protect({
    create = create,
    resume = resume,
    running = raw_running,
    status = raw_status,
    wrap = wrap,
    yield = yield,
  }),
  error = raw_error,
  gcinfo = function()
    return 0
  end,
  getmetatable = function(...)
    local value = ...
    if raw_type(value) == "string" then
      return string_metatable
    elseif real[value] then
      return nil
    end
    return getmetatable(...)
  end,
  ipairs = ipairs,
  load = load,
  loadstring = loadstring,
  math = protect(math),
  next = ordered_next,
  pairs = pairs,
  pcall = guarded_pcall,
  rawequal = rawequal,
  rawget = function(t, ...)
    return rawget(real[t] or t, ...)
  end,
  rawset = function(t, ...)
    writable(t)
    return rawset(t, ...)
  end,
  redis = protect(redis),
  select = select,
  setmetatable = function(t, ...)
    writable(t)
    return setmetatable(t, ...)
  end,
  string = string_front,
  table = protect(table),
  tonumber = tonumber,
  tostring = plain_tostring,
  type = raw_type,
  unpack = unpack,
  xpcall = guarded_xpcall,
}

setmetatable(globals, {
  __index = function(_, name)
    raw_error("Script attempted to access nonexistent global variable '" .. plain_tostring(name) .. "'", 2)
  end,
})

environment = protect(globals)
globals._G = environment

-- Running a script.

local on_error, arm = host.on_error, host.arm

local function begin(chunk, keys, argv)
  set_main(chunk)
  globals.KEYS, globals.ARGV = keys, argv
  scanned, resumed = nil, 0
  arm()
end

return environment,
  function(chunk, ...)
    begin(chunk, {}, { ... })
    return raw_xpcall(main, on_error)
  end,
  function(chunk, key, ...)
    begin(chunk, { key }, { ... })
    return raw_xpcall(main, on_error)
  end,
  function(chunk, keys, argv)
    begin(chunk, keys, argv)
    return raw_xpcall(main, on_error)
  end
