//! Scripts that try to hang, crash, leak into the next script, or see what differs between runs.

use super::Server;

const BUSY: &str = "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
const READ_ONLY: &str = "Attempt to modify a readonly table";

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (script, expected) in cases {
        assert_eq!(Server::new().eval(script, &[], &[]), *expected, "{script}");
    }
}

#[track_caller]
fn check_contains(cases: &[(&str, &str)]) {
    for (script, part) in cases {
        let reply = Server::new().eval(script, &[], &[]);
        assert!(reply.contains(part), "{script}: {reply}");
    }
}

#[test]
fn no_catcher_swallows_the_instruction_limit() {
    for script in [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "pcall(function() while true do end end) return 1",
        "xpcall(function() while true do end end, function() return 1 end) return 1",
        "xpcall(function() error('x') end, function() while true do end end) return 1",
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
        "coroutine.wrap(function() pcall(function() while true do end end) end)() return 1",
        "while true do coroutine.wrap(function() end)() end",
        "load(function() while true do end end) return 1",
        "table.sort({3,2,1}, function() while true do end end) return 1",
        "string.gsub('aaa', 'a', function() while true do end end) return 1",
        "setmetatable({}, {__index = function() while true do end end}).x = 1 \
         return setmetatable({}, {__index = function() while true do end end}).x",
    ] {
        let mut server = Server::new();
        assert_eq!(server.eval(script, &[], &[]), BUSY, "{script}");
        assert_eq!(server.line("get k"), BUSY, "everybody waits");
        assert_eq!(server.line("nosuch x"), "-ERR unknown command 'nosuch', with args beginning with: 'x' ");
        assert_eq!(server.line("get"), "-ERR wrong number of arguments for 'get' command");
    }
}

#[test]
fn a_busy_script_leaves_no_effect_and_can_be_killed_unless_it_wrote() {
    let mut server = Server::new();
    server.line("set k v");
    assert_eq!(server.eval("redis.call('get', 'k') math.random() while true do end", &[], &[]), BUSY);
    assert_eq!(server.line("script kill"), "+OK");
    assert_eq!(server.eval("return math.random(1000000)", &[], &[]), ":396465");
    assert_eq!(server.eval("redis.call('del', 'k') while true do end", &[], &[]), BUSY);
    assert!(server.node.view(server.wall, b"k").is_some(), "no effect");
    assert!(
        server
            .line("script kill")
            .starts_with("-UNKILLABLE Sorry the script already executed write commands")
    );
    assert_eq!(server.line("get k"), BUSY);
    server.node.restart_empty();
    assert_eq!(server.line("get k"), "_");
}

#[test]
fn memory_is_limited_and_no_catcher_swallows_it() {
    for script in [
        "local s = 'x' while true do s = s .. s end",
        "while true do pcall(function() local s = 'x' while true do s = s .. s end end) end",
        "local t = {} for i = 1, 1e9 do t[i] = {} end",
        "local s = ('x'):rep(1e6) return #string.gsub(s, '', s)",
        "local t = {} for i = 1, 20 do t[i] = ('x'):rep(1.5e7) .. i end return #table.concat(t)",
        "local t = {} for i = 1, 30 do t = {t, t} end return t",
        "local t = {} t[1] = t t[2] = t return t",
    ] {
        assert_eq!(Server::new().eval(script, &[], &[]), BUSY, "{script}");
    }
    check_contains(&[
        ("return ('x'):rep(1e9)", "resulting string too large"),
        ("return string.rep('x', 1e300)", "resulting string too large"),
    ]);
}

#[test]
fn recursion_ends_in_an_error() {
    check_contains(&[
        ("local function f() return f() + 1 end return f()", "stack overflow"),
        (
            "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x",
            "stack overflow",
        ),
        ("local function f() return pcall(f) end return tostring(f())", ""),
        ("local function f() coroutine.wrap(f)() end f()", "C stack overflow"),
        ("local function f() return string.gsub('a', 'a', f) end return f()", "stack overflow"),
        ("local function f() table.sort({3,2,1}, f) return true end return f()", "stack overflow"),
        (
            "local t = setmetatable({}, {}) getmetatable(t).__tostring = tostring return tostring(t)",
            "stack overflow",
        ),
        ("return loadstring(('('):rep(1e5) .. ('x'))()", ""),
        ("local t = {} for i = 1, 5000 do t = {t} end return t", "reached lua stack limit"),
    ]);
    let deep = format!("return {}1{}", "{".repeat(100_000), "}".repeat(100_000));
    check_contains(&[(&deep, "chunk has too many syntax levels")]);
}

#[test]
fn patterns_are_bounded() {
    let long = format!("return string.find('x', ('a?'):rep({}))", 300_000);
    check_contains(&[
        (&long, "pattern too complex"),
        ("return ('x'):match(('(a'):rep(3e5))", "pattern too complex"),
        ("return ('x'):gsub(('a*'):rep(3e5), '')", "pattern too complex"),
        ("return ('x'):gmatch(('a*'):rep(3e5))", "pattern too complex"),
        ("return string.gfind('x', ('a*'):rep(3e5))", "pattern too complex"),
    ]);
    check(&[
        ("local s = ('a'):rep(1e5) return {s:find(s), (s:find(s .. '*', 1, true))}", "[:1]"),
        ("local s = ('a'):rep(1e5) return s:find(s, 1, true)", ":1"),
    ]);
}

#[test]
fn what_differs_between_runs_is_absent() {
    for name in [
        "print", "dofile", "loadfile", "getfenv", "setfenv", "newproxy", "os", "io", "debug", "require",
        "module", "package",
    ] {
        let reply = Server::new().eval(&format!("return {name}"), &[], &[]);
        let expected = format!("Script attempted to access nonexistent global variable '{name}'");
        assert!(reply.contains(&expected), "{name}: {reply}");
    }
    check(&[
        ("return string.dump", "_"),
        ("return {collectgarbage(), collectgarbage('count'), gcinfo()}", "[:0 :0 :0]"),
        (
            "return {tostring({}), tostring(tostring), tostring(coroutine.create(tostring))}",
            "[$table: 0x000000000000 $function: 0x000000000000 $thread: 0x000000000000]",
        ),
        ("return tostring(setmetatable({}, {__metatable = {__tostring = 1}}))", "$table: 0x000000000000"),
        ("return tostring(setmetatable({}, {__tostring = function() return 'mine' end}))", "$mine"),
        ("return tostring(redis)", "$table: 0x000000000000"),
        (
            "local ok, e = pcall(function() return {} .. 'x' end) return e",
            "$user_script:1: attempt to concatenate a table value",
        ),
        (
            "local ok, e = pcall(string.format, '%s', {}) return e",
            "$bad argument #2 to '?' (string expected, got table)",
        ),
    ]);
    check_contains(&[("error(tostring)", "-ERR function: 0x000000000000 script: ")]);
}

#[test]
fn bytecode_is_a_syntax_error() {
    check_contains(&[
        ("local f, e = loadstring('\\27Lua') return e", "unexpected symbol near 'char(27)'"),
        ("local f, e = load(function() return nil end) return type(f)", "$function"),
        (
            "local done local f, e = load(function() if done then return nil end done = 1 return '\\27Lua' end) return e",
            "char(27)",
        ),
    ]);
    check(&[("return loadstring('return ' .. 1 + 1)()", ":2")]);
}

#[test]
fn the_order_of_addresses_stops_the_script() {
    let unordered =
        "-ERR fencepost: the script walks a table keyed by tables or functions, whose order is not defined";
    for script in [
        "for k in pairs({[{}] = 1}) do end return 1",
        "local t = {[tostring] = 1, a = 2} for k in pairs(t) do if k == 'a' then return 1 end end",
        "pcall(function() for k in pairs({[{}] = 1}) do end end) return 1",
        "return next({[{}] = 1})",
        "table.foreach({[{}] = 1}, function() end)",
        "redis.call('set', 'k', 'v') for k in pairs({[{}] = 1}) do end",
        "return {map = {[{}] = 1}}",
    ] {
        let mut server = Server::new();
        assert_eq!(server.eval(script, &[], &[]), unordered, "{script}");
        assert_eq!(server.line("get k"), "_", "effects are dropped, the server goes on");
    }
    check(&[("local seen = {} local t = {} seen[t] = 'x' return seen[t]", "$x")]);
}

#[test]
fn nothing_reaches_the_next_script() {
    let attempts = [
        "foo = 1",
        "function foo() end",
        "_G.foo = 1",
        "rawset(_G, 'foo', 1)",
        "_G['redis'] = nil",
        "redis.call = 1",
        "redis.foo = 1",
        "rawset(redis, 'foo', 1)",
        "string.foo = 1",
        "table.insert(redis, 'foo')",
        "table.insert(string, 1, 'foo')",
        "setmetatable(_G, {})",
        "setmetatable(string, {__index = 1})",
        "getmetatable('').__index = function() return 'foo' end",
        "getmetatable('').__add = function() return 'foo' end",
        "rawset(getmetatable(''), '__index', 1)",
        "setmetatable(getmetatable(''), {})",
        "rawset(getmetatable('').__index, 'foo', 1)",
        "for name, value in pairs(_G) do if name == 'string' then value.foo = 1 end end",
        "local _, t = pairs(redis) t.foo = 1",
        "loadstring('foo = 1')()",
        "math.pi = 1",
        "coroutine.wrap(function() foo = 1 end)()",
    ];
    let mut server = Server::new();
    for script in attempts {
        let reply = server.eval(script, &[], &[]);
        assert!(reply.contains(READ_ONLY), "{script}: {reply}");
    }
    server.eval("KEYS.foo = 'x' ARGV.foo = 'x' table.sort(redis) table.remove(KEYS)", &["k"], &["a"]);
    let look = "return {rawget(_G, 'foo') == nil, redis.foo == nil, ('').foo == nil, string.foo == nil, KEYS.foo == nil, \
                redis[1] == nil, type(redis.call) == 'function', getmetatable(_G) == nil, getmetatable(redis) == nil, \
                #KEYS, math.pi > 3}";
    assert_eq!(server.eval(look, &[], &[]), "[:1 :1 :1 :1 :1 :1 :1 :1 :1 :0 :1]");
    let reply = server.eval("return foo", &[], &[]);
    assert!(reply.contains("nonexistent global variable 'foo'"), "{reply}");
}

#[test]
fn weak_tables_keep_their_entries_within_a_script() {
    check(&[(
        "local weak = setmetatable({}, {__mode = 'kv'}) for i = 1, 100 do weak[i] = {} end \
         local t = {} for i = 1, 20000 do t = {t and 1} end collectgarbage() \
         local n = 0 for i = 1, 100 do if weak[i] then n = n + 1 end end return n",
        ":100",
    )]);
}

#[test]
fn many_arguments_and_binary_ones_arrive() {
    let mut server = Server::new();
    let argv: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
    let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
    assert_eq!(
        server.eval("return {#KEYS, #ARGV, ARGV[20000]}", &["a", "b", "c"], &argv),
        "[:3 :20000 $19999]"
    );
    assert_eq!(server.eval("return {#ARGV[1], ARGV[1]}", &[], &["a\0b"]), "[:3 $a\0b]");
    let reply = server.eval("return unpack({}, 1, 1e7)", &[], &[]);
    assert!(reply.contains("too many results to unpack"), "{reply}");
}
