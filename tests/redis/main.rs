//! The fake Redis through its public interface: commands, deadlines, scripts, hostile scripts, determinism.
//!
//! Every expected reply was compared with a live Redis 7.0.15.

mod canonical;
mod channels;
mod clients;
mod commands;
mod determinism;
mod disk;
mod hostile;
mod lists;
mod replication;
mod scored;
mod scripts;
mod sessions;
mod shared_locks;
mod standing;
mod tags;
mod texts;

use bytes::Bytes;
use fencepost::redis::{Change, Compat, Node};
use fencepost::resp::codec::{Decoded, decode_command};
use fencepost::resp::{Command, Reply};
use fencepost::time::WallTime;

/// A wall time with a fraction of a millisecond, as clocks have.
const WALL: WallTime = WallTime(1_700_000_000_000_456);

/// A server with a clock, spoken to in inline commands.
struct Server {
    node: Node,
    wall: WallTime,
}

impl Server {
    fn new() -> Self {
        Self { node: Node::new(Compat::V70), wall: WALL }
    }

    /// The reply to an inline command, in the notation of [`show`].
    #[track_caller]
    fn line(&mut self, line: &str) -> String {
        show(&self.apply(&command(line)))
    }

    fn eval(&mut self, script: &str, keys: &[&str], argv: &[&str]) -> String {
        let count = keys.len().to_string();
        let words =
            ["EVAL", script, &count].into_iter().chain(keys.iter().copied()).chain(argv.iter().copied());
        show(&self.apply(&Command::new(words.map(|word| Bytes::copy_from_slice(word.as_bytes())))))
    }

    fn apply(&mut self, command: &Command) -> Reply {
        self.changes(command).0
    }

    fn changes(&mut self, command: &Command) -> (Reply, Vec<Change>) {
        let mut changes = Vec::new();
        let reply = self.node.apply(self.wall, None, command, &mut changes);
        (reply, changes)
    }

    fn pass_ms(&mut self, ms: i64) {
        self.wall = WallTime(self.wall.0 + ms * 1_000);
    }
}

/// The command that an inline command means.
#[track_caller]
fn command(line: &str) -> Command {
    let decoded = decode_command(format!("{line}\n").as_bytes());
    let Ok(Decoded::Done { value: Some(command), .. }) = decoded else { panic!("no command: {line}") };
    command
}

/// Asserts that the lines of a table answer as listed, in order, on one server.
#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let mut server = Server::new();
    for (line, expected) in cases {
        assert_eq!(server.line(line), *expected, "{line}");
    }
}

/// `+status`, `-error`, `:1`, `$bulk`, `_`, `[a b]`.
fn show(reply: &Reply) -> String {
    let text = |text: &Bytes| String::from_utf8_lossy(text).into_owned();
    let all = |items: &[Reply]| items.iter().map(show).collect::<Vec<_>>().join(" ");
    match reply {
        Reply::Status(status) => format!("+{}", text(status)),
        Reply::Error(error) => format!("-{}", text(error)),
        Reply::Int(number) => format!(":{number}"),
        Reply::Bulk(bulk) => format!("${}", text(bulk)),
        Reply::Null => "_".to_owned(),
        Reply::NullArray => "_[]".to_owned(),
        Reply::Array(items) => format!("[{}]", all(items)),
        Reply::Set(items) => format!("~[{}]", all(items)),
        Reply::Push(items) => format!(">[{}]", all(items)),
        Reply::Several(replies) => all(replies),
        Reply::Map(pairs) => {
            let flat: Vec<Reply> =
                pairs.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect();
            format!("%[{}]", all(&flat))
        }
        Reply::Double(number) => format!(",{}", text(number)),
        Reply::Bool(truth) => format!("#{truth}"),
        Reply::BigNumber(digits) => format!("({}", text(digits)),
        Reply::Verbatim { text: shown, .. } => format!("={}", text(shown)),
    }
}
