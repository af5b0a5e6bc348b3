//! Patterns of channels and shard channels; connections of RESP3 that hear and speak.

use super::sessions::Hub;

#[test]
fn a_pattern_hears_every_channel_that_fits() {
    Hub::new(3).check(&[
        (1, "psubscribe lock:* c?", "[$psubscribe $lock:* :1] [$psubscribe $c? :2]"),
        (1, "psubscribe c?", "[$psubscribe $c? :2]"),
        (2, "subscribe lock:a", "[$subscribe $lock:a :1]"),
        (2, "psubscribe *:a", "[$psubscribe $*:a :2]"),
        (0, "publish c m", ":0"),
        (0, "publish cc m", ":1 1<>[$pmessage $c? $cc $m]"),
        (
            0,
            "publish lock:a m",
            ":3 1<>[$pmessage $lock:* $lock:a $m] 2<>[$message $lock:a $m] 2<>[$pmessage $*:a $lock:a $m]",
        ),
        (1, "get k", "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"),
        (1, "ping", "[$pong $]"),
        (1, "unsubscribe", "[$unsubscribe _ :2]"),
        (1, "punsubscribe nosuch", "[$punsubscribe $nosuch :2]"),
        (1, "punsubscribe", "[$punsubscribe $c? :1] [$punsubscribe $lock:* :0]"),
        (1, "punsubscribe", "[$punsubscribe _ :0]"),
        (2, "unsubscribe lock:a", "[$unsubscribe $lock:a :1]"),
        (0, "publish lock:a m", ":1 2<>[$pmessage $*:a $lock:a $m]"),
        (0, "psubscribe", "-ERR wrong number of arguments for 'psubscribe' command"),
    ]);
}

#[test]
fn shard_channels_have_names_of_their_own() {
    Hub::new(3).check(&[
        (1, "ssubscribe s", "[$ssubscribe $s :1]"),
        (1, "subscribe s", "[$subscribe $s :1]"),
        (1, "psubscribe *", "[$psubscribe $* :2]"),
        (1, "ssubscribe s t", "[$ssubscribe $s :1] [$ssubscribe $t :2]"),
        (0, "spublish s m", ":1 1<>[$smessage $s $m]"),
        (0, "publish s m", ":2 1<>[$message $s $m] 1<>[$pmessage $* $s $m]"),
        (1, "sunsubscribe nosuch", "[$sunsubscribe $nosuch :2]"),
        (1, "sunsubscribe", "[$sunsubscribe $s :1] [$sunsubscribe $t :0]"),
        (1, "sunsubscribe", "[$sunsubscribe _ :0]"),
        (1, "punsubscribe", "[$punsubscribe $* :1]"),
        (1, "unsubscribe", "[$unsubscribe $s :0]"),
        (1, "get k", "_"),
        (2, "ssubscribe s", "[$ssubscribe $s :1]"),
        (2, "get k", "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"),
        (0, "eval \"return redis.call('spublish', KEYS[1], ARGV[1])\" 1 s m", ":1 2<>[$smessage $s $m]"),
        (0, "multi", "+OK"),
        (0, "spublish s 1", "+QUEUED"),
        (0, "exec", "[:1] 2<>[$smessage $s $1]"),
        (0, "spublish s", "-ERR wrong number of arguments for 'spublish' command"),
        (0, "ssubscribe", "-ERR wrong number of arguments for 'ssubscribe' command"),
        (0, "eval \"#!lua flags=no-writes\\nreturn redis.pcall('spublish','s','m')\" 0", "-ERR Write commands are not allowed from read-only scripts."),
    ]);
}

#[test]
fn whoever_speaks_resp3_hears_and_does_everything() {
    let mut hub = Hub::new(2);
    hub.says(0, "hello 3");
    hub.check(&[
        (0, "subscribe c", ">[$subscribe $c :1]"),
        (0, "get k", "_"),
        (0, "ping", "+PONG"),
        (0, "ping x", "$x"),
        (0, "publish c m", ":1 0<>[$message $c $m]"),
        (0, "multi", "+OK"),
        (0, "publish c 1", "+QUEUED"),
        (0, "exec", "[:1] 0<>[$message $c $1]"),
        (0, "unsubscribe", ">[$unsubscribe $c :0]"),
        (0, "unsubscribe", ">[$unsubscribe _ :0]"),
        (0, "psubscribe c*", ">[$psubscribe $c* :1]"),
    ]);
    // What it hears confines it again.
    hub.says(0, "hello 2");
    assert!(hub.says(0, "get k").starts_with("-ERR Can't execute 'get'"));
    assert!(hub.says(0, "hello 3").starts_with("-ERR Can't execute 'hello'"));
}

/// Each row: a pattern, a name, whether it fits.
#[test]
fn patterns_follow_redis_oddities() {
    let rows = [
        ("*", "", false),
        ("", "", true),
        ("", "x", false),
        ("a*", "a", true),
        ("**", "x", true),
        ("a**", "a", true),
        ("a?c", "abc", true),
        ("?", "", false),
        ("x*", "X", false),
        ("h*o*", "hello", true),
        ("*b*d", "abcabd", true),
        ("*b*d", "abca", false),
        ("*?", "a", true),
        ("*?", "ab", true),
        ("lock:*:x", "lock:1:2:x", true),
        ("abc", "ab", false),
        ("ab", "abc", false),
        ("a[b-d]e", "ace", true),
        ("a[d-b]e", "ace", true),
        ("a[^b]c", "abc", false),
        ("a[^b]c", "axc", true),
        ("[^a-c]x", "dx", true),
        ("a[b\\\\-d]e", "a-e", true),
        ("a[b\\\\-d]e", "ace", false),
        ("a[\\\\]]b", "a]b", true),
        ("a\\\\*", "a*", true),
        ("a\\\\*", "ab", false),
        ("a\\\\", "a\\\\", true),
        ("[\\\\", "\\\\", true),
        ("[ab", "a", true),
        ("[ab", "c", false),
        ("a*[b", "aab", true),
        ("[", "", false),
        ("[", "x", false),
        ("[]", "x", false),
        ("[^", "x", true),
        ("[^]", "x", true),
        ("*[", "a[", false),
        ("a[b-]c", "a-c", false),
        ("a[b-]c", "abc", false),
        ("[a-", "a", true),
        ("[a-", "-", true),
    ];
    for (pattern, name, fits) in rows {
        let mut hub = Hub::new(2);
        hub.says(1, &format!("psubscribe \"{pattern}\""));
        let told = hub.says(0, &format!("publish \"{name}\" m"));
        assert_eq!(told.starts_with(":1"), fits, "{pattern} {name}");
    }
    // No power of the stars.
    let mut hub = Hub::new(2);
    hub.says(1, &format!("psubscribe \"{}b\"", "*a".repeat(200)));
    assert_eq!(hub.says(0, &format!("publish {} m", "a".repeat(5_000))), ":0");
}
