//! A core that sends what a test tells it to, and tells what it is told.
//!
//! What it is told becomes an attempt record with a number, because a core has no other voice; [`heard`] turns the
//! records back into lines.

use bytes::Bytes;
use fencepost::canon::Canon;
use fencepost::history::{Fact, Record};
use fencepost::lock::{
    ConnectionId, Core, CoreTraits, Input, Label, LinkState, LockCore, Output, RequestId, Stored,
    UnknownReason, WakeReason,
};
use fencepost::name::{ClientId, Nonce, Operation, VoterId, Worker};
use fencepost::resp::codec::{Decoded, decode_command};
use fencepost::resp::{Command, Reply};
use fencepost::time::{MonoTime, Now, Span};
use fencepost::world::Setup;

/// When, in milliseconds after the call; over which connection; what; and how long it waits for the answer.
pub(crate) type Step = (u32, u8, &'static str, u32);

/// Request `n` is the `n`-th step, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Steps {
    traits: CoreTraits,
    steps: Vec<Step>,
    sent: usize,
    /// When the call began, until everything is sent.
    begun: Option<MonoTime>,
}

impl Steps {
    pub(crate) fn new(index: usize, setup: &Setup, steps: &[Step]) -> Self {
        let core = Core::of(&setup.clients[index].lock, setup.key.clone());
        Self { traits: core.describe(), steps: steps.to_vec(), sent: 0, begun: None }
    }

    fn go_on(&mut self, now: Now, out: &mut Vec<Output>) {
        while let Some((ms, connection, line, limit)) = self.steps.get(self.sent).copied() {
            let at = self.begun.unwrap_or(now.mono) + Span::from_ms(i64::from(ms));
            if at > now.mono {
                out.push(Output::Wake { at, reason: WakeReason::Retry });
                return;
            }
            self.sent += 1;
            let (voter, connection) = (VoterId(0), ConnectionId(connection));
            if line == "connect" {
                out.push(Output::Connect { voter, connection });
                continue;
            }
            let occurrence = self.sent as u8;
            out.push(Output::Send {
                request: RequestId(self.sent as u32),
                voter,
                connection,
                command: command(line),
                limit: Span::from_ms(i64::from(limit)),
                label: Label { worker: Worker::User, operation: Operation::Acquire, number: 1, occurrence },
            });
        }
        self.begun = None;
    }
}

fn command(line: &str) -> Command {
    let decoded = decode_command(format!("{line}\n").as_bytes());
    let Ok(Decoded::Done { value: Some(command), .. }) = decoded else { panic!("no command: {line}") };
    command
}

/// A reply as a number below 1000: tests use small numbers as texts.
fn number(reply: &Reply) -> u32 {
    let small = |text: &Bytes| String::from_utf8_lossy(text).parse().unwrap_or(998);
    match reply {
        Reply::Int(number) => *number as u32,
        Reply::Status(_) => 990,
        Reply::Null => 991,
        Reply::NullArray => 992,
        Reply::Bulk(text) => small(text),
        Reply::Array(parts) | Reply::Push(parts) => parts.last().map_or(993, number),
        _ => 999,
    }
}

impl LockCore for Steps {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        let told = match &input {
            Input::Reply { request, reply } => 1_000_000 + request.0 * 1_000 + number(reply),
            Input::Late { request, reply } => 2_000_000 + request.0 * 1_000 + number(reply),
            Input::Unknown { request, why } => match why {
                UnknownReason::NotSent => 3_000_000 + request.0,
                UnknownReason::Disconnected => 4_000_000 + request.0,
                UnknownReason::TimedOut => 5_000_000 + request.0,
            },
            Input::Push { voter, message } => 6_000_000 + u32::from(voter.0) * 1_000 + number(message),
            Input::Link { connection, state, .. } => match state {
                LinkState::Up => 7_000_000 + u32::from(connection.0),
                LinkState::Refused => 8_000_000 + u32::from(connection.0),
                LinkState::Reset => 9_000_000 + u32::from(connection.0),
            },
            _ => 0,
        };
        if told > 0 {
            out.push(Output::Attempt { number: told });
        }
        match input {
            Input::Acquire { .. } => {
                self.begun = Some(now.mono);
                self.go_on(now, out);
            }
            Input::Wake { .. } => self.go_on(now, out),
            _ => {}
        }
    }

    fn canonical(&mut self, _: ClientId, canon: &mut Canon) {
        if let Some(begun) = &mut self.begun {
            canon.mono_moment(begun);
        }
    }

    fn describe(&self) -> CoreTraits {
        self.traits.clone()
    }

    fn backs(&self, _: Nonce, _: &Stored) -> bool {
        false
    }
}

/// What cores were told: `MILLISECONDS PROCESS WHAT`.
pub(crate) fn heard(records: &[Record]) -> Vec<String> {
    let told = records.iter().filter_map(|record| {
        let Fact::AttemptBegan { number, .. } = record.fact else { return None };
        let (kind, rest) = (number / 1_000_000, number % 1_000_000);
        let (request, value) = (rest / 1_000, rest % 1_000);
        let answer = match value {
            990 => "status".to_owned(),
            991 => "null".to_owned(),
            992 => "null-array".to_owned(),
            999 => "error".to_owned(),
            number => number.to_string(),
        };
        let what = match kind {
            1 => format!("reply {request} {answer}"),
            2 => format!("late {request} {answer}"),
            3 => format!("not-sent {rest}"),
            4 => format!("disconnected {rest}"),
            5 => format!("timed-out {rest}"),
            6 => format!("push {answer}"),
            7 => format!("up {rest}"),
            8 => format!("refused {rest}"),
            9 => format!("reset {rest}"),
            _ => return None,
        };
        Some(format!("{} {} {what}", record.at.0 / 1_000, record.process))
    });
    told.collect()
}
