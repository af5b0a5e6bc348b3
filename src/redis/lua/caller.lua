-- Calls a script's functions so that however many values they return, C code sees one: Lua 5.1's own catchers push
-- one value more than they have reserved room for. A chunk of its own, because a position in it is to be dropped
-- from messages: in Redis the caller is C code, which has no position.

local select = select
local current

local function pack(...)
  return { n = select("#", ...), ... }
end

return pack,
  function(...)
    return pack((select(1, ...))(select(2, ...)))
  end,
  function()
    return (current())
  end,
  function(chunk)
    current = chunk
  end
