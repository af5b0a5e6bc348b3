//! Scripts: conversions, errors with their place, the script cache, the world a script sees.

use super::{Server, show};
use bytes::Bytes;
use fencepost::redis::{Compat, Node};
use fencepost::resp::Command;

const RETURN_1: &str = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";

/// Asserts what a script answers; `{}` in the expectation stands for the script's digest and line 1.
#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (script, expected) in cases {
        let mut server = Server::new();
        let sha = server.apply(&command(&["script", "load", script]));
        let place = format!("script: {}, on @user_script:1.", show(&sha).trim_start_matches('$'));
        assert_eq!(server.eval(script, &["key"], &["arg", "5"]), expected.replace("{}", &place), "{script}");
    }
}

fn command(words: &[&str]) -> Command {
    Command::new(words.iter().map(|word| Bytes::copy_from_slice(word.as_bytes())))
}

#[test]
fn numkeys_and_digests_are_checked_in_redis_order() {
    let no_script = "-NOSCRIPT No matching script. Please use EVAL.";
    super::check(&[
        ("eval 'return 1' x", "-ERR value is not an integer or out of range"),
        ("eval 'return 1' 2 a", "-ERR Number of keys can't be greater than number of args"),
        ("eval 'return 1' -1", "-ERR Number of keys can't be negative"),
        ("evalsha abc x", no_script),
        (&format!("evalsha {} x", "f".repeat(40)), "-ERR value is not an integer or out of range"),
        (&format!("evalsha {} 0", "f".repeat(40)), no_script),
        (&format!("evalsha {} 0", "z".repeat(40)), no_script),
        (&format!("evalsha {RETURN_1} 0"), no_script),
        ("eval 'return 1' 0", ":1"),
        (&format!("evalsha {RETURN_1} 0"), ":1"),
        (&format!("evalsha {} 0", RETURN_1.to_uppercase()), ":1"),
        (&format!("script exists {RETURN_1} {} x", RETURN_1.to_uppercase()), "[:1 :1 :0]"),
        ("script flush foo", "-ERR SCRIPT FLUSH only support SYNC|ASYNC option"),
        ("script flush sync async", "-ERR SCRIPT FLUSH only support SYNC|ASYNC option"),
        ("script flush ASYNC", "+OK"),
        (&format!("evalsha {RETURN_1} 0"), no_script),
        ("script load 'return 1'", &format!("${RETURN_1}")),
        (&format!("evalsha {RETURN_1} 0"), ":1"),
        ("script kill", "-NOTBUSY No scripts in execution right now."),
    ]);
}

#[test]
fn what_does_not_compile_is_not_cached() {
    let near = "-ERR Error compiling script (new function): user_script:1: ";
    super::check(&[
        ("script load 'return +'", &format!("{near}unexpected symbol near '+'")),
        ("eval 'x = ' 0", &format!("{near}unexpected symbol near '<eof>'")),
        ("eval 'break' 0", &format!("{near}no loop to break near '<eof>'")),
        ("script load \"\\x1bLuaQ\"", &format!("{near}unexpected symbol near 'char(27)'")),
        ("eval \"#!js\\nreturn 1\" 0", "-ERR Unexpected engine in script shebang: #!js"),
        ("eval \"#!lua flags=foo\\nreturn 1\" 0", "-ERR Unexpected flag in script shebang: foo"),
        ("eval \"#!lua name=x\\nreturn 1\" 0", "-ERR Unknown lua shebang option: name=x"),
        ("eval '#!lua' 0", "-ERR Invalid script shebang"),
        ("eval \"#!lua flags=allow-oom,no-cluster\\nreturn 1\" 0", ":1"),
        (
            "eval \"#!lua flags=no-writes\\nreturn redis.pcall('set','a','b')\" 0",
            "-ERR Write commands are not allowed from read-only scripts.",
        ),
        ("eval \"#!lua flags=no-writes\\nreturn redis.call('get','a')\" 0", "_"),
    ]);
}

#[test]
fn lua_values_become_replies() {
    check(&[
        ("return 3.99", ":3"),
        ("return -3.99", ":-3"),
        ("return 1/0", ":-9223372036854775808"),
        ("return 0/0", ":-9223372036854775808"),
        ("return 2^53", ":9007199254740992"),
        ("return 'a'", "$a"),
        ("return true", ":1"),
        ("return false", "_"),
        ("return nil", "_"),
        ("return", "_"),
        (
            "return print == nil",
            "-ERR user_script:1: Script attempted to access nonexistent global variable 'print' {}",
        ),
        ("return function() end", "_"),
        ("return {1,2,{3,'x'},nil,4}", "[:1 :2 [:3 $x]]"),
        ("return {1.9,true,false,a=1}", "[:1 :1 _]"),
        ("return {err='MY msg'}", "-MY msg"),
        ("return {err='nospace'}", "-nospace"),
        ("return {err='a\\r\\nb'}", "-a  b"),
        ("return {err=1}", "[]"),
        ("return {ok='fine'}", "+fine"),
        ("return {double=1.1}", ",1.1000000000000001"),
        ("return {double=3}", ",3"),
        ("return {map={a=1}}", "%[$a :1]"),
        ("return {set={a=true}}", "~[$a]"),
        ("return {big_number='123'}", "(123"),
        ("return {verbatim_string={format='txt',string='hi'}}", "=hi"),
        ("redis.setresp(3) return {true,false}", "[#true #false]"),
        ("return KEYS", "[$key]"),
        ("return {#ARGV,ARGV[1],ARGV[3]}", "[:2 $arg]"),
        ("return ARGV[2] == 5", "_"),
        ("KEYS[1] = 'x' return KEYS", "[$x]"),
    ]);
}

#[test]
fn replies_become_lua_values() {
    check(&[
        ("return redis.call('ping')", "+PONG"),
        ("return redis.call('ping').ok", "$PONG"),
        ("return tostring(redis.call('get','none'))", "$false"),
        ("redis.setresp(3) return tostring(redis.call('get','none'))", "$nil"),
        ("redis.call('set','k','v') return redis.call('get','k')", "$v"),
        ("return redis.call('incr','n') + 1", ":2"),
        ("return #redis.call('time')", ":2"),
        ("return redis.pcall('get').err", "$ERR Wrong number of args calling Redis command from script"),
        ("redis.call('set','k','v','px',5) return redis.call('pttl','k')", ":5"),
        (
            "redis.call('set','k','v','px',5) redis.call('pexpire','k',0) return redis.call('exists','k')",
            ":0",
        ),
    ]);
}

#[test]
fn numbers_become_arguments_as_the_version_does() {
    let cases = [
        ("3", "3", "3"),
        ("0.1", "0.10000000000000001", "0.1"),
        ("1e17", "1e+17", "100000000000000000"),
        ("10/3", "3.3333333333333335", "3.3333333333333335"),
        ("1e16", "10000000000000000", "10000000000000000"),
        ("123456789012345678", "1.2345678901234568e+17", "123456789012345680"),
        ("1e300", "1.0000000000000001e+300", "1e+300"),
        ("1e-7", "9.9999999999999995e-08", "1e-7"),
        ("0.0001", "0.0001", "0.0001"),
        ("-2.5", "-2.5", "-2.5"),
        ("1/0", "inf", "inf"),
        ("-1/0", "-inf", "-inf"),
    ];
    for (number, in_70, in_72) in cases {
        for (compat, expected) in [(Compat::V70, in_70), (Compat::V72, in_72)] {
            let script = format!("return redis.call('ping', {number})");
            let reply =
                Node::new(compat).apply(super::WALL, None, &command(&["eval", &script, "0"]), &mut vec![]);
            assert_eq!(show(&reply), format!("${expected}"), "{number}");
        }
    }
}

#[test]
fn the_version_is_the_servers() {
    for (compat, expected) in [(Compat::V70, "[$7.0.15 :458767]"), (Compat::V72, "[$7.2.6 :459270]")] {
        let words = command(&["eval", "return {redis.REDIS_VERSION, redis.REDIS_VERSION_NUM}", "0"]);
        let reply = Node::new(compat).apply(super::WALL, None, &words, &mut vec![]);
        assert_eq!(show(&reply), expected);
    }
}

#[test]
fn errors_carry_their_place() {
    check(&[
        ("return redis.call('nosuch')", "-ERR Unknown Redis command called from script {}"),
        ("return redis.call('get')", "-ERR Wrong number of args calling Redis command from script {}"),
        ("return redis.call('eval','return 1',0)", "-ERR This Redis command is not allowed from script {}"),
        ("return redis.call('script','exists','a')", "-ERR This Redis command is not allowed from script {}"),
        ("return redis.call('script','foo')", "-ERR Unknown Redis command called from script {}"),
        ("return redis.call('script')", "-ERR Wrong number of args calling Redis command from script {}"),
        ("return redis.call()", "-ERR Please specify at least one argument for this redis lib call {}"),
        (
            "return redis.call('get',nil)",
            "-ERR Lua redis lib command arguments must be strings or integers {}",
        ),
        (
            "return redis.call('get',true)",
            "-ERR Lua redis lib command arguments must be strings or integers {}",
        ),
        ("return redis.call({})", "-ERR Lua redis lib command arguments must be strings or integers {}"),
        ("return redis.pcall('nosuch')", "-ERR Unknown Redis command called from script"),
        (
            "redis.call('hset','h','f','v') return redis.call('get','h')",
            "-WRONGTYPE Operation against a key holding the wrong kind of value {}",
        ),
        ("return redis.call('pexpire','k',10/3)", "-ERR value is not an integer or out of range {}"),
        ("error('boom')", "-ERR user_script:1: boom {}"),
        ("error('boom',0)", "-ERR boom {}"),
        ("error()", "-ERR nil {}"),
        ("error(true)", "-ERR true {}"),
        ("error({err='MYE x'})", "-MYE x {}"),
        ("error({foo=1})", "-ERR the script raised a table without err {}"),
        ("return nil + 1", "-ERR user_script:1: attempt to perform arithmetic on a nil value {}"),
        (
            "local x = string.rep({},3)",
            "-ERR user_script:1: bad argument #1 to 'rep' (string expected, got table) {}",
        ),
        (
            "local x = next(5)",
            "-ERR user_script:1: bad argument #1 to 'next' (table expected, got number) {}",
        ),
        (
            "local x = math.random(0)",
            "-ERR user_script:1: bad argument #1 to 'random' (interval is empty) {}",
        ),
        ("local x = string.find('a','[')", "-ERR user_script:1: malformed pattern (missing ']') {}"),
    ]);
    let mut server = Server::new();
    let reply = server.eval("local function f()\n redis.call('get') end\n f()", &[], &[]);
    assert!(reply.ends_with(", on @user_script:2."), "{reply}");
}

#[test]
fn catching_follows_redis() {
    check(&[
        (
            "return {pcall(redis.call,'get')}",
            "[_ $ERR Wrong number of args calling Redis command from script]",
        ),
        ("return {pcall(error,{err='MYE x'})}", "[_ $MYE x]"),
        ("local ok, e = pcall(error,{foo='x'}) return e.foo", "$x"),
        ("return {pcall(error,'x')}", "[_ $x]"),
        ("return {pcall(function() error('x') end)}", "[_ $user_script:1: x]"),
        ("return {pcall(function() return 4,5 end)}", "[:1 :4 :5]"),
        (
            "return {xpcall(function() error('x') end, function(e) return 'h:'..e end)}",
            "[_ $h:user_script:1: x]",
        ),
        ("return {xpcall(function() redis.call('get') end, function(e) return type(e) end)}", "[_ $table]"),
        (
            "local co = coroutine.create(function() redis.call('get') end) \
             local ok, e = coroutine.resume(co) return type(e)",
            "$table",
        ),
        (
            "local f = coroutine.wrap(function(a) local b = coroutine.yield(a+1) return b*2 end) return {f(1),f(10)}",
            "[:2 :20]",
        ),
        ("local f = coroutine.wrap(function() error({err='A b'}) end) f()", "-A b {}"),
        ("return {pcall(function() error('x', 2) end)}", "[_ $x]"),
        ("return {pcall(string.format)}", "[_ $bad argument #1 to '?' (string expected, got no value)]"),
        ("error('x', 2)", "-ERR x {}"),
    ]);
}

#[test]
fn any_number_of_values_passes_a_catcher() {
    let values = "local t = {} for i = 1, 100 do t[i] = i end ";
    for (call, count) in [
        ("return select('#', pcall(unpack, t))", ":101"),
        ("return select('#', xpcall(function() return unpack(t) end, error))", ":101"),
        ("return select('#', coroutine.resume(coroutine.create(unpack), t))", ":101"),
        (
            "return select('#', coroutine.resume(coroutine.create(function() coroutine.yield(unpack(t)) end)))",
            ":101",
        ),
        ("return select('#', coroutine.wrap(function(...) return ... end)(unpack(t)))", ":100"),
        ("return select('#', pcall(function() return nil, nil end))", ":3"),
        ("return unpack(t)", ":1"),
    ] {
        assert_eq!(Server::new().eval(&format!("{values}{call}"), &[], &[]), count, "{call}");
    }
}

#[test]
fn the_redis_library() {
    check(&[
        ("return redis.error_reply('boom')", "-ERR boom"),
        ("return redis.error_reply('MYERR boom')", "-MYERR boom"),
        ("return redis.error_reply('-MYERR boom')", "-MYERR boom"),
        ("return redis.error_reply(1)", "-ERR wrong number or type of arguments"),
        ("return redis.status_reply('HI')", "+HI"),
        ("return redis.status_reply()", "-ERR wrong number or type of arguments"),
        ("return redis.sha1hex('')", "$da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("return redis.sha1hex()", "-ERR wrong number of arguments {}"),
        ("return redis.log(redis.LOG_WARNING,'x')", "_"),
        ("return redis.log(1)", "-ERR redis.log() requires two arguments or more. {}"),
        ("return redis.log('a','b')", "-ERR First argument must be a number (log level). {}"),
        ("return redis.log(9,'b')", "-ERR Invalid debug level. {}"),
        ("return redis.setresp(4)", "-ERR RESP version must be 2 or 3. {}"),
        ("return redis.setresp()", "-ERR redis.setresp() requires one argument. {}"),
        ("return redis.nosuch", "_"),
    ]);
}

#[test]
fn callbacks_of_gsub_run_as_in_lua() {
    check(&[
        ("return {string.gsub('hello world','%w+',function(w) return w:upper() end)}", "[$HELLO WORLD :2]"),
        ("return {string.gsub('hello','',function() return '-' end)}", "[$-h-e-l-l-o- :6]"),
        ("return {string.gsub('abc','%w*',function() return 'x' end)}", "[$xx :2]"),
        ("return {string.gsub('abc','^%w',function() return 'x' end)}", "[$xbc :1]"),
        ("return {string.gsub('abc','%w',{a='1',b=false})}", "[$1bc :3]"),
        ("return {string.gsub('abc','%w',function() return 'x' end, 2)}", "[$xxc :2]"),
        ("return {string.gsub('abc','()',function(p) return p end)}", "[$1a2b3c4 :4]"),
        (
            "return string.gsub('abc','%w',function() return {} end)",
            "-ERR invalid replacement value (a table)",
        ),
    ]);
}

/// The scripts of locks that take a key again, add to its life, or name the moment at which it ends.
#[test]
fn scripts_that_locks_send() {
    const REOBTAIN: &str = include_str!("../../src/lock/scripts/reobtain.lua");
    const ADD: &str = include_str!("../../src/lock/scripts/compare_and_add.lua");
    const PEXPIREAT: &str = include_str!("../../src/lock/scripts/compare_and_pexpireat.lua");
    let own = |text: &'static str| vec!["set", "key", text, "px", "1000"];
    /// What was there before, a script and its arguments; its answer, and value and life afterwards.
    type Row<'a> = (Vec<&'a str>, &'a str, &'a [&'a str], &'a str, &'a str, &'a str);
    let rows: Vec<Row<'_>> = vec![
        (vec!["del", "key"], REOBTAIN, &["me", "500"], ":1", "$me", ":500"),
        (vec!["del", "key"], REOBTAIN, &["me"], ":1", "$me", ":-1"),
        (own("me"), REOBTAIN, &["me", "500"], ":1", "$me", ":500"),
        (own("you"), REOBTAIN, &["me", "500"], ":0", "$you", ":1000"),
        (own("me"), ADD, &["me", "500"], ":1", "$me", ":1500"),
        (own("you"), ADD, &["me", "500"], ":0", "$you", ":1000"),
        (vec!["set", "key", "me"], ADD, &["me", "500"], ":0", "$me", ":-1"),
        (vec!["del", "key"], ADD, &["me", "500"], ":0", "_", ":-2"),
        (own("you"), PEXPIREAT, &["me", "99999999999999"], ":0", "$you", ":1000"),
        (own("me"), PEXPIREAT, &["me", "1"], ":1", "_", ":-2"),
    ];
    for (before, script, argv, answer, value, life) in rows {
        let mut server = Server::new();
        server.apply(&command(&before));
        assert_eq!(server.eval(script, &["key"], argv), answer, "{before:?} {script}");
        assert_eq!(show(&server.apply(&command(&["get", "key"]))), value, "{before:?} {script}");
        assert_eq!(show(&server.apply(&command(&["pttl", "key"]))), life, "{before:?} {script}");
    }
}
