//! What a server keeps of connections: channels, transactions, watched keys, waits for items.

use super::{WALL, command, show};
use bytes::Bytes;
use fencepost::redis::{Answer, Audience, Compat, Log, Node, Role, Session};
use fencepost::time::WallTime;

/// A server with several connections, spoken to in turn.
pub(super) struct Hub {
    pub(super) node: Node,
    wall: WallTime,
    pub(super) sessions: Vec<Session>,
}

impl Hub {
    pub(super) fn new(connections: usize) -> Self {
        Self::of(Compat::V70, connections)
    }

    pub(super) fn of(compat: Compat, connections: usize) -> Self {
        Self { node: Node::new(compat), wall: WALL, sessions: vec![Session::new(); connections] }
    }

    /// What connection `at` is answered, what others are then sent as `N<message` and `N<item`, in order. `wait` is no
    /// answer.
    pub(super) fn says(&mut self, at: usize, line: &str) -> String {
        let audience = Audience::of(&self.sessions);
        let mut log = Log::default();
        let (session, command) = (&mut self.sessions[at], command(line));
        let answer = self.node.apply_in(self.wall, None, &command, session, &audience, &mut log);
        let mut told = match answer {
            Answer::Now(reply) => show(&reply),
            Answer::Blocked => "wait".to_owned(),
        };
        self.sessions.iter_mut().for_each(|session| session.notice(&log));
        for message in &log.published {
            for (other, session) in self.sessions.iter().enumerate() {
                for push in session.pushes(message) {
                    told.push_str(&format!(" {other}<{}", show(&push)));
                }
            }
        }
        let keys: Vec<Bytes> = log.changes.into_iter().map(|change| change.key).collect();
        for key in keys {
            for other in 0..self.sessions.len() {
                let mut log = Log::default();
                if let Some(item) = self.node.pop_for(self.wall, &key, &mut self.sessions[other], &mut log) {
                    told.push_str(&format!(" {other}<{}", show(&item)));
                }
                self.sessions.iter_mut().for_each(|session| session.notice(&log));
            }
        }
        told
    }

    /// Each line: a connection, a command, and what follows.
    #[track_caller]
    pub(super) fn check(&mut self, cases: &[(usize, &str, &str)]) {
        for (at, line, expected) in cases {
            assert_eq!(self.says(*at, line), *expected, "{at}: {line}");
        }
    }

    fn pass_ms(&mut self, ms: i64) {
        self.wall = WallTime(self.wall.0 + ms * 1_000);
    }
}

#[test]
fn messages_reach_who_hears_the_channel() {
    Hub::new(3).check(&[
        (0, "publish c hello", ":0"),
        (1, "subscribe c", "[$subscribe $c :1]"),
        (1, "subscribe c", "[$subscribe $c :1]"),
        (1, "subscribe d e", "[$subscribe $d :2] [$subscribe $e :3]"),
        (2, "subscribe c", "[$subscribe $c :1]"),
        (0, "publish c hello", ":2 1<>[$message $c $hello] 2<>[$message $c $hello]"),
        (0, "publish d there", ":1 1<>[$message $d $there]"),
        (1, "unsubscribe c nosuch", "[$unsubscribe $c :2] [$unsubscribe $nosuch :2]"),
        (0, "publish c again", ":1 2<>[$message $c $again]"),
        (1, "unsubscribe", "[$unsubscribe $d :1] [$unsubscribe $e :0]"),
        (1, "unsubscribe", "[$unsubscribe _ :0]"),
        (1, "get k", "_"),
        (0, "publish", "-ERR wrong number of arguments for 'publish' command"),
    ]);
}

#[test]
fn a_connection_that_hears_channels_may_do_little_else() {
    let only = "only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context";
    let refused = |word: &str| format!("-ERR Can't execute '{word}': {only}");
    Hub::new(1).check(&[
        (0, "subscribe c", "[$subscribe $c :1]"),
        (0, "get k", &refused("get")),
        (0, "publish c m", &refused("publish")),
        (0, "multi", &refused("multi")),
        (0, "ping", "[$pong $]"),
        (0, "ping hi", "[$pong $hi]"),
        (0, "get", "-ERR wrong number of arguments for 'get' command"),
        (0, "unsubscribe", "[$unsubscribe $c :0]"),
        (0, "ping", "+PONG"),
    ]);
}

#[test]
fn scripts_and_transactions_publish_at_their_point() {
    Hub::new(2).check(&[
        (1, "subscribe c", "[$subscribe $c :1]"),
        (
            0,
            "eval \"redis.call('publish','c','1') redis.call('set','k','v') return redis.call('publish','c','2')\" 0",
            ":1 1<>[$message $c $1] 1<>[$message $c $2]",
        ),
        (0, "eval \"return redis.call('publish', KEYS[1], ARGV[1])\" 1 c m", ":1 1<>[$message $c $m]"),
        (0, "eval \"redis.call('publish','c','3') return {1}\" 0", "[:1] 1<>[$message $c $3]"),
        (0, "eval \"redis.call('publish','c','4') return redis.call('incr','k')\" 0", "-ERR value is not an integer or out of range script: 6bf77efa443f682d82608ee3f3fe672bf0171ef2, on @user_script:1. 1<>[$message $c $4]"),
        (0, "multi", "+OK"),
        (0, "publish c 5", "+QUEUED"),
        (0, "exec", "[:1] 1<>[$message $c $5]"),
        (0, "eval \"return redis.call('subscribe', 'c')\" 0", "-ERR This Redis command is not allowed from script script: ef3d3b3db03eea01b69a3675b5e27984671b35c3, on @user_script:1."),
    ]);
}

#[test]
fn transactions_queue_and_run_as_a_whole() {
    Hub::new(2).check(&[
        (0, "exec", "-ERR EXEC without MULTI"),
        (0, "discard", "-ERR DISCARD without MULTI"),
        (0, "multi", "+OK"),
        (0, "multi", "-ERR MULTI calls can not be nested"),
        (0, "watch k", "-ERR WATCH inside MULTI is not allowed"),
        (0, "set k 1", "+QUEUED"),
        (0, "incr k", "+QUEUED"),
        (0, "lpush k x", "+QUEUED"),
        (1, "get k", "_"),
        (0, "get k", "+QUEUED"),
        (0, "exec", "[+OK :2 -WRONGTYPE Operation against a key holding the wrong kind of value $2]"),
        (0, "multi", "+OK"),
        (0, "set k 9", "+QUEUED"),
        (0, "discard", "+OK"),
        (0, "get k", "$2"),
        (0, "multi", "+OK"),
        (0, "exec", "[]"),
        (0, "multi", "+OK"),
        (0, "nosuch", "-ERR unknown command 'nosuch', with args beginning with: "),
        (0, "set k 9", "+QUEUED"),
        (0, "exec", "-EXECABORT Transaction discarded because of previous errors."),
        (0, "multi", "+OK"),
        (0, "get", "-ERR wrong number of arguments for 'get' command"),
        (0, "exec", "-EXECABORT Transaction discarded because of previous errors."),
        (0, "multi", "+OK"),
        (
            0,
            "exec x",
            "-EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command",
        ),
        (0, "exec", "-ERR EXEC without MULTI"),
        (0, "multi", "+OK"),
        (0, "blpop nosuch 0", "+QUEUED"),
        (0, "subscribe c", "+QUEUED"),
        (0, "exec", "[_[] [$subscribe $c :1]]"),
    ]);
}

/// Each row: what happens between WATCH and MULTI, on a server with `k` = 1 and no `m`, and whether EXEC then runs.
#[test]
fn a_change_of_a_watched_key_stops_the_transaction() {
    let cases: [(&[(usize, &str)], bool); 16] = [
        (&[], true),
        (&[(1, "get k")], true),
        (&[(1, "set k 1")], false),
        (&[(0, "set k 1")], false),
        (&[(1, "set other 1")], true),
        (&[(1, "set k 2 nx")], true),
        (&[(1, "pexpire k 1000")], false),
        (&[(1, "persist k")], true),
        (&[(1, "del k")], false),
        (&[(1, "del m")], true),
        (&[(1, "set m 1")], false),
        (&[(1, "set m 1"), (1, "del m")], false),
        (&[(1, "lpush m a")], false),
        (&[(1, "zadd m 1 a")], false),
        (&[(1, "set k 2"), (0, "unwatch")], true),
        (&[(1, "eval \"redis.call('set','k','5')\" 0")], false),
    ];
    for (between, runs) in cases {
        let mut hub = Hub::new(2);
        hub.says(1, "set k 1");
        assert_eq!(hub.says(0, "watch k m"), "+OK");
        for (at, line) in between {
            hub.says(*at, line);
        }
        assert_eq!(hub.says(0, "multi"), "+OK");
        assert_eq!(hub.says(0, "set done 1"), "+QUEUED");
        assert_eq!(hub.says(0, "exec"), if runs { "[+OK]" } else { "_[]" }, "{between:?}");
        assert_eq!(hub.says(1, "exists done"), if runs { ":1" } else { ":0" });
        // What was watched is forgotten.
        hub.says(1, "set k 7");
        hub.says(0, "multi");
        assert_eq!(hub.says(0, "exec"), "[]");
    }
}

#[test]
fn a_watched_key_that_expires_has_changed() {
    let mut hub = Hub::new(2);
    hub.says(0, "set k 1 px 100");
    hub.says(0, "watch k");
    hub.pass_ms(101);
    hub.says(0, "multi");
    assert_eq!(
        hub.says(0, "exec"),
        "_[]",
        "it is judged when the transaction runs, though nobody deleted it"
    );
    // One that had expired when it was watched has not, even when it is deleted; written anew it has.
    hub.says(0, "set k 1 px 100");
    hub.pass_ms(101);
    for (between, expected) in [("get other", "[]"), ("get k", "[]"), ("set k 2", "_[]")] {
        hub.says(0, "watch k");
        hub.says(1, between);
        hub.says(0, "multi");
        assert_eq!(hub.says(0, "exec"), expected, "{between}");
    }
}

#[test]
fn a_transaction_with_writes_is_refused_by_a_server_that_became_a_replica() {
    let mut hub = Hub::new(1);
    hub.says(0, "multi");
    hub.says(0, "set k v");
    hub.node.set_role(Role::Replica);
    let refused =
        "-EXECABORT Transaction discarded because of: READONLY You can't write against a read only replica.";
    assert_eq!(hub.says(0, "exec"), refused);
    hub.says(0, "multi");
    assert_eq!(hub.says(0, "set k v"), "-READONLY You can't write against a read only replica.");
    assert_eq!(hub.says(0, "exec"), "-EXECABORT Transaction discarded because of previous errors.");
}

#[test]
fn whoever_waited_longest_gets_the_next_item() {
    Hub::new(5).check(&[
        (1, "blpop q 0", "wait"),
        (2, "blpop p q 0", "wait"),
        (3, "brpop q 0", "wait"),
        (0, "rpush q a b", ":2 1<[$q $a] 2<[$q $b]"),
        (0, "llen q", ":0"),
        (0, "rpush q c d", ":2 3<[$q $d]"),
        (0, "lrange q 0 -1", "[$c]"),
        (4, "blpop q 0", "[$q $c]"),
    ]);
}

#[test]
fn a_wait_is_served_when_the_script_or_transaction_is_over() {
    Hub::new(2).check(&[
        (1, "blpop q 0", "wait"),
        (0, "eval \"redis.call('rpush','q','a') return redis.call('llen','q')\" 0", ":1 1<[$q $a]"),
        (1, "blpop q 0", "wait"),
        (0, "eval \"redis.call('rpush','q','a') redis.call('del','q') return 1\" 0", ":1"),
        (0, "multi", "+OK"),
        (0, "rpush q x", "+QUEUED"),
        (0, "rpush q y", "+QUEUED"),
        (0, "exec", "[:1 :2] 1<[$q $x]"),
        (1, "blpop q z 0", "[$q $y]"),
        (1, "blpop q 0", "wait"),
        (0, "set q text", "+OK"),
        (0, "del q", ":1"),
        (0, "lpush q last", ":1 1<[$q $last]"),
    ]);
}

#[test]
fn a_wait_ends_on_the_servers_clock() {
    let mut hub = Hub::new(1);
    for (line, ms) in
        [("blpop q 1", 1_000), ("blpop q 0.25", 250), ("blpop q 0.0001", 1), ("blpop q 1e-1", 100)]
    {
        assert_eq!(hub.says(0, line), "wait");
        let until = hub.sessions[0].waits_until().expect("it does not wait for ever");
        assert_eq!(until.0, WALL.unix_ms().0 + ms, "{line}");
        assert_eq!(show(&hub.sessions[0].give_up()), "_[]");
        assert!(hub.sessions[0].is_idle());
    }
    assert_eq!(hub.says(0, "blpop q 0"), "wait");
    assert_eq!(hub.sessions[0].waits_until(), None);
}

#[test]
fn from_scripts_of_newer_servers_nobody_waits() {
    for (compat, expected) in
        [(Compat::V70, "-ERR This Redis command is not allowed from script"), (Compat::V72, "_")]
    {
        let mut hub = Hub::new(1);
        hub.node = Node::new(compat);
        let told = hub.says(0, "eval \"return redis.call('blpop', 'q', 0)\" 0");
        assert!(told.starts_with(expected), "{told}");
        assert!(!hub.sessions[0].is_blocked());
    }
}
