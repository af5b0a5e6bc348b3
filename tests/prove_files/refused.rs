//! Bad models: kind, place, words and suggestion of what is said.

use super::{GOOD, changed};
use fencepost::prove::parse_model;
use fencepost::scenario::{InputError, InputErrorKind as Kind};

/// A bad file: the text, and kind, line, column, part of the message, suggestion.
type Bad = (String, Kind, (usize, usize), &'static str, Option<&'static str>);

#[track_caller]
fn refuse(cases: Vec<Bad>) {
    let mut complaints = Vec::new();
    for (text, kind, place, says, meant) in cases {
        let Err(error) = parse_model("x.toml", &text) else {
            complaints.push(format!("not refused ({says}):\n{text}"));
            continue;
        };
        let InputError { line, column, suggestion, .. } = &error;
        let found = (error.kind, (*line, *column), suggestion.as_deref());
        if found != (kind, place, meant) || !error.message.contains(says) || error.file != "x.toml" {
            complaints
                .push(format!("wanted {kind:?} {place:?} {says:?} {meant:?}\n found {error} {found:?}"));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn keys_and_words() {
    let scope = |line: &str| changed("clients         = 2", line);
    let policy = |line: &str| changed("like               = \"spec\"", line);
    let expect = |line: &str| changed("promise-overlap = \"held\"", line);
    refuse(vec![
        (changed("format = 1", "format = 2"), Kind::Value, (1, 10), "reads format 1", Some("format = 1")),
        (changed("\"a title\"", "\" \""), Kind::Value, (2, 10), "`title` is empty", None),
        (scope("client = 2"), Kind::UnknownKey, (7, 1), "`client`", Some("clients")),
        (changed("ttl_ticks ", "ttl "), Kind::UnknownKey, (9, 1), "`ttl`", Some("ttl_ticks")),
        (changed("ttl_ticks ", "ttl_ms "), Kind::UnknownKey, (9, 1), "`ttl_ms`", Some("ttl_ticks")),
        (scope(""), Kind::MissingKey, (6, 1), "missing key `clients`", None),
        (scope("clients = 2.5"), Kind::Value, (7, 11), "a whole number", None),
        (changed("\"leaves\"", "\"leave\""), Kind::Value, (12, 19), "before-write", Some("leaves")),
        (changed("[lock.redlock]", "[lock.redlok]"), Kind::UnknownKey, (14, 7), "redlok", Some("redlock")),
        (
            policy("like = \"spec\"\nnode_timeout_ms = 50"),
            Kind::UnknownKey,
            (16, 1),
            "known here: like, unsound",
            Some("node_timeout_ticks"),
        ),
        (
            policy("like = \"spec\"\ntaking = \"set-nx-pxat\""),
            Kind::Contradiction,
            (16, 10),
            "no moments of a wall clock",
            Some("taking = \"set-nx-px\""),
        ),
        (
            policy("like = \"spec\"\nextension = \"pexpireat\""),
            Kind::Contradiction,
            (16, 13),
            "no moments of a wall clock",
            Some("extension = \"compare\""),
        ),
        (
            policy("like = \"spec\"\nunsound = true\ndeciding = \"at-quorum-of-both\""),
            Kind::Contradiction,
            (17, 12),
            "an even split",
            Some("deciding = \"at-quorum\""),
        ),
        (
            policy("like = \"spec\"\nmargin_sign = \"added\""),
            Kind::Policy,
            (16, 15),
            "unsound = true",
            Some("margin_sign = \"subtracted\""),
        ),
        (policy("like = \"spec\"\nretries = 3"), Kind::UnknownKey, (16, 1), "`retries`", None),
        (policy(""), Kind::MissingKey, (14, 1), "missing key `like`", Some("like = \"spec\"")),
        (policy("like = \"spec\"\nttl = 4"), Kind::Value, (16, 7), "one word in quotes", None),
        (
            expect("promise-overlp = \"held\""),
            Kind::UnknownKey,
            (24, 1),
            "fence-order",
            Some("promise-overlap"),
        ),
        (expect("promise-overlap = \"hold\""), Kind::Value, (24, 19), "not-exercised", Some("held")),
        (expect("[expect.witness]\ngrants = 1"), Kind::UnknownKey, (24, 9), "unknown key `witness`", None),
        (changed("client-stop =", "clent-stop ="), Kind::UnknownKey, (21, 1), "total", Some("client-stop")),
        (changed("ticks_max = 6", "for = 6"), Kind::UnknownKey, (21, 29), "`for`", None),
        (
            format!("{GOOD}[progress]\nlonely = 3\n"),
            Kind::UnknownKey,
            (26, 1),
            "alone_within_ticks",
            Some("alone"),
        ),
        (
            format!(
                "{GOOD}[progress]\nalone_within_ticks = 3\ntogether = {{ retry_ticks = [1, 1], expect = \"never\" }}\n"
            ),
            Kind::Contradiction,
            (25, 1),
            "exactly one entry",
            None,
        ),
        (
            format!("{GOOD}[progress]\ntogether = {{ retry_ticks = [1, 1], expect = \"never\" }}\n"),
            Kind::Contradiction,
            (26, 28),
            "leave out [faults]",
            None,
        ),
        (format!("{GOOD}[pinned]\nstates = 3\n"), Kind::MissingKey, (25, 1), "`exhausted`", None),
    ]);
}

#[test]
fn numbers_out_of_range() {
    let scope = |line: &str| changed("clients         = 2", line);
    let key = |line: &str| changed("clients         = 2", &format!("clients = 2\n{line}"));
    refuse(vec![
        (scope("clients = 0"), Kind::Range, (7, 11), "between 1 and 16", Some("1")),
        (scope("clients = 17"), Kind::Range, (7, 11), "between 1 and 16", Some("16")),
        (changed("nodes           = 3", "nodes = 10"), Kind::Range, (8, 9), "between 1 and 9", Some("9")),
        (key("replicas = 4"), Kind::Range, (8, 12), "between 0 and 3", Some("3")),
        (key("tick_ms = 500"), Kind::Range, (8, 11), "can only be 1000", Some("1000")),
        (key("attempts_open = 2"), Kind::Range, (8, 17), "can only be 1", Some("1")),
        (key("calls = 0"), Kind::Range, (8, 9), "between 1 and 100", Some("1")),
        (key("extend_every_ticks = 0"), Kind::Range, (8, 22), "between 1 and 100", Some("1")),
        (key("store_delay_ticks_max = -1"), Kind::Range, (8, 25), "between 0 and 8", Some("0")),
        (changed("ttl_ticks       = 4", "ttl_ticks = 0"), Kind::Range, (9, 13), "between 1", Some("1")),
        (
            changed("margin_ticks       = 1", "margin_ticks = 0"),
            Kind::Range,
            (17, 16),
            "between 1",
            Some("1"),
        ),
        (changed("total       = 2", "total = 256"), Kind::Range, (20, 9), "between 0 and 255", Some("255")),
        (changed("budget = 1", "budget = 0"), Kind::Range, (21, 26), "between 1 and 255", Some("1")),
        (changed("ticks_max = 6", "ticks_max = 0"), Kind::Range, (21, 41), "between 1 and 100", Some("1")),
        (
            format!("{GOOD}[progress]\nalone_within_ticks = 0\n"),
            Kind::Range,
            (26, 22),
            "between 1 and 100",
            Some("1"),
        ),
        (
            format!("{GOOD}[progress]\ntogether = {{ retry_ticks = [3, 1], expect = \"never\" }}\n"),
            Kind::Range,
            (26, 32),
            "between 3 and 100",
            Some("3"),
        ),
        (
            format!("{GOOD}[progress]\ntogether = {{ retry_ticks = [3], expect = \"never\" }}\n"),
            Kind::Value,
            (26, 28),
            "two numbers",
            Some("[1, 1]"),
        ),
        (
            format!("{GOOD}[pinned]\nexhausted = true\nstates = 0\n"),
            Kind::Range,
            (27, 10),
            "`states`",
            Some("1"),
        ),
    ]);
}

#[test]
fn scopes_and_locks_that_contradict_themselves() {
    let key = |line: &str| changed("clients         = 2", &format!("clients = 2\n{line}"));
    let lock = |line: &str| changed("margin_ticks       = 1", line);
    let single = |text: String| text.replace("redlock", "single").replace("nodes           = 3", "nodes = 1");
    refuse(vec![
        (lock("margin_ticks = 4"), Kind::Contradiction, (17, 16), "leaves nothing of a TTL of 4", None),
        (lock(""), Kind::MissingKey, (14, 1), "`margin_ticks`", Some("margin_ticks = 1")),
        (
            changed("node_timeout_ticks = 2", "node_timeout_ticks = 4"),
            Kind::Contradiction,
            (16, 22),
            "must be shorter",
            Some("node_timeout_ticks = 3"),
        ),
        (
            changed("ttl_ticks       = 4\n", ""),
            Kind::MissingKey,
            (6, 1),
            "`ttl_ticks`",
            Some("ttl_ticks = 4"),
        ),
        (lock("margin_ticks = 1\nttl = \"none\""), Kind::Contradiction, (18, 7), "keep one of them", None),
        (
            lock("margin_ticks = 1\nttl = \"none\"").replace("ttl_ticks       = 4\n", ""),
            Kind::Policy,
            (17, 7),
            "unsound = true",
            Some("ttl_ticks = 4"),
        ),
        (
            key("work_ticks_min = 3"),
            Kind::Contradiction,
            (12, 19),
            "`work_ticks_min` is 3 and `work_ticks_max` only 2",
            None,
        ),
        (
            changed("redlock", "single"),
            Kind::Contradiction,
            (8, 19),
            "single asks one node",
            Some("nodes = 1"),
        ),
        (lock("margin_ticks = 1\nquorum = 1"), Kind::Policy, (18, 10), "is no majority", Some("quorum = 2")),
        (
            lock("margin_ticks = 1\nwait_ticks = 1"),
            Kind::Contradiction,
            (18, 14),
            "`wait_ticks`",
            Some("wait = \"any\""),
        ),
        (
            single(lock("margin_ticks = 1\nwait = \"any\"\nwait_ticks = 3")),
            Kind::Policy,
            (19, 14),
            "not shorter than the TTL",
            None,
        ),
        (
            key("persistence = \"rdb\""),
            Kind::Contradiction,
            (8, 15),
            "keeps nothing",
            Some("persistence = \"aof-always\""),
        ),
        (
            key("extend_every_ticks = 1"),
            Kind::Contradiction,
            (8, 22),
            "needs a lock that extends",
            Some("extension = \"compare\""),
        ),
        (key("store = \"fence\""), Kind::Contradiction, (8, 9), "hands them out", Some("fence = \"incr\"")),
        (key("store_delay_ticks_max = 1"), Kind::Contradiction, (8, 25), "nobody writes", Some("writes = 1")),
        (
            changed("nodes           = 3", "nodes           = 5")
                .replace("delay_ticks_max = 1", "delay_ticks_max = 8"),
            Kind::Contradiction,
            (10, 19),
            "more than 8192 combinations",
            Some("delay_ticks_max = 1"),
        ),
        (
            single(lock("margin_ticks = 1\nfence = \"incr\"")),
            Kind::MissingKey,
            (6, 1),
            "fences count up",
            Some("calls = 3"),
        ),
        (
            changed(
                "[lock.redlock]\nlike               = \"spec\"\nnode_timeout_ticks = 2\nmargin_ticks       = 1\n",
                "[lock.none]\n",
            ),
            Kind::Contradiction,
            (9, 19),
            "without a lock",
            None,
        ),
    ]);
}

#[test]
fn faults_and_questions_that_contradict_themselves() {
    let stop = |line: &str| changed("client-stop = { budget = 1, ticks_max = 6 }", line);
    let expect = |line: &str| changed("promise-overlap = \"held\"", line);
    refuse(vec![
        (stop(""), Kind::Contradiction, (20, 15), "no kind is listed", Some("total = 0")),
        (changed("total       = 2\n", ""), Kind::Contradiction, (20, 1), "`total` is 0", Some("total = 1")),
        (
            changed("total       = 2", "total = 0"),
            Kind::Contradiction,
            (20, 9),
            "client-stop",
            Some("total = 1"),
        ),
        (
            changed("budget = 1", "budget = 3"),
            Kind::Contradiction,
            (21, 26),
            "`total` is 2",
            Some("budget = 2"),
        ),
        (stop("client-stop = {}"), Kind::MissingKey, (21, 1), "`ticks_max`", Some("ticks_max = 6")),
        (
            changed("ticks_max = 6", "ticks_min = 7, ticks_max = 6"),
            Kind::Contradiction,
            (21, 56),
            "`ticks_min` is 7 and `ticks_max` only 6",
            None,
        ),
        (stop("message-loss = { ticks_max = 2 }"), Kind::Contradiction, (21, 30), "no extent", None),
        (stop("failover = {}"), Kind::Contradiction, (21, 1), "no replica", Some("replicas = 1")),
        (
            stop("node-crash-keeping = { ticks_max = 2 }"),
            Kind::Contradiction,
            (21, 1),
            "keeps nothing here",
            Some("persistence = \"aof-always\""),
        ),
        (
            stop("node-crash-losing = { ticks_max = 2 }")
                .replace("nodes           = 3", "nodes = 3\npersistence = \"aof-always\""),
            Kind::Contradiction,
            (22, 1),
            "keeps everything here",
            Some("persistence = \"none\""),
        ),
        (
            stop("store-delay = { ticks_max = 2 }"),
            Kind::Contradiction,
            (21, 1),
            "nobody writes",
            Some("writes = 1"),
        ),
        (expect("stale-write = \"held\""), Kind::Contradiction, (24, 1), "writes = 0", Some("not-exercised")),
        (
            expect("fence-order = \"held\""),
            Kind::Contradiction,
            (24, 1),
            "fence = \"incr\"",
            Some("not-exercised"),
        ),
        (expect("orphan = \"held\""), Kind::Contradiction, (24, 1), "does not judge", None),
        (
            changed("[expect]\npromise-overlap = \"held\"\n", ""),
            Kind::MissingKey,
            (21, 44),
            "a model asks something",
            Some("[expect]"),
        ),
        (
            format!("{GOOD}[pinned]\nexhausted = false\nstates = 3\n"),
            Kind::Contradiction,
            (26, 13),
            "only an exhausted model",
            Some("exhausted = true"),
        ),
    ]);
}

#[test]
fn locks_of_other_shapes() {
    let table =
        "[lock.redlock]\nlike               = \"spec\"\nnode_timeout_ticks = 2\nmargin_ticks       = 1\n";
    let refused = |other: &str| {
        let text = changed(table, &format!("{other}\nttl_ms = 9_000\n"));
        (text, Kind::Contradiction, (14, 1), "models are of quorum locks", Some("[lock.single]"))
    };
    refuse(vec![
        refused("[lock.reentrant]\nlike = \"scripted\""),
        refused("[lock.fair]\nlike = \"spec\""),
        refused("[lock.read-write]\nlike = \"spec\"\nside = \"read\""),
        refused("[lock.signal]\nlike = \"spec\""),
        refused("[lock.multi]\nlike = \"spec\""),
    ]);
}
