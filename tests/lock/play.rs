//! A driver that follows a script: one input per line, expected outputs behind `=>`.
//!
//! ```text
//! 0    acquire        => attempt 1; >123 acquire.1.set.1
//! 1    ok 12
//! 2    null 3         => granted nonce 1 until 988ms
//! ```
//! The first word is the time in milliseconds since the start, on both clocks. Voters are counted from 1; an
//! answer goes to the newest open request of each voter named, behind `old` to the oldest. `>12 NAME` is the
//! same command sent to voters 1 and 2. Outputs of a line are joined by `; `.

use bytes::Bytes;
use fencepost::canon::Canon;
use fencepost::lock::{
    Caller, Core, Draw, Input, LinkState, LockCore, Output, Policy, Protocol, Recipe, RequestId, Retry,
    Soundness, Ttl, UnknownReason, Until, WakeReason,
};
use fencepost::lock::{ConnectionId, Label};
use fencepost::name::{ClientId, CommandName, Nonce, Operation, VoterId};
use fencepost::resp::{Command, Reply};
use fencepost::time::{ClockKind, MonoTime, Now, ProcessClocks, Span, WorldTime};
use std::collections::BTreeSet;

/// A request that the driver has not answered yet.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) request: RequestId,
    pub(crate) voter: VoterId,
    pub(crate) command: Command,
    pub(crate) limit: Span,
}

/// A core and its driver.
#[derive(Clone)]
pub(crate) struct Play {
    pub(crate) core: Core,
    pub(crate) clocks: ProcessClocks,
    start: WorldTime,
    world: WorldTime,
    zero: Now,
    pub(crate) open: Vec<Open>,
    pub(crate) wakes: Vec<(WakeReason, MonoTime)>,
    /// What was sent so far, as a message's name tells it.
    pub(crate) names: BTreeSet<(VoterId, Operation, u32, CommandName, u8)>,
    nonces: u64,
    jitter: u32,
}

/// Three voters, 1 s, one attempt: what the plays start from.
pub(crate) fn base() -> Policy {
    let mut policy = Policy::spec(Protocol::Redlock, 3, Ttl::Of(Span::from_ms(1_000)));
    policy.retry = Retry { retries: 0, delay: Span::from_ms(200), jitter: Span::from_ms(200) };
    policy
}

/// One voter.
pub(crate) fn single() -> Policy {
    Policy { protocol: Protocol::Single, voters: 1, quorum: 1, ..base() }
}

/// The base policy with one change.
pub(crate) fn with(change: impl FnOnce(&mut Policy)) -> Policy {
    let mut policy = base();
    change(&mut policy);
    policy
}

/// Runs a script and compares every line.
#[track_caller]
pub(crate) fn check(name: &str, policy: &Policy, script: &str) {
    let mut play = Play::new(policy);
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (input, expected) = line.split_once("=>").unwrap_or((line, ""));
        let outputs = play.line(input);
        assert_eq!(outputs, expected.trim(), "{name}: {line}");
    }
}

impl Play {
    pub(crate) fn new(policy: &Policy) -> Self {
        Self::started(policy, 0, WorldTime::ZERO)
    }

    /// A play by the process with this index, starting at this world time.
    pub(crate) fn started(policy: &Policy, index: usize, start: WorldTime) -> Self {
        policy.validate(Soundness::Waived).expect("a policy that can be run");
        Self::of(&policy.clone().into(), index, start)
    }

    /// A play of any lock.
    pub(crate) fn of(recipe: &Recipe, index: usize, start: WorldTime) -> Self {
        let clocks = ProcessClocks::new(index, Span::ZERO);
        Self {
            core: Core::of(recipe, Bytes::from_static(b"stock")),
            clocks,
            start,
            world: start,
            zero: clocks.now(start),
            open: Vec::new(),
            wakes: Vec::new(),
            names: BTreeSet::new(),
            nonces: 1_000 * index as u64,
            jitter: 1 << 31,
        }
    }

    pub(crate) fn now(&self) -> Now {
        self.clocks.now(self.world)
    }

    pub(crate) fn at(&mut self, ms: u64) {
        self.world = self.start + Span::from_ms(ms as i64);
    }

    /// Lets so much time pass.
    pub(crate) fn after(&mut self, span: Span) {
        self.world += span;
    }

    /// As [`Self::line`] without its time: at the present.
    pub(crate) fn again(&mut self, input: &str) -> String {
        self.said(input)
    }

    /// Gives one input and does the duties that follow.
    pub(crate) fn give(&mut self, input: Input) -> Vec<Output> {
        let mut out = Vec::new();
        match &input {
            Input::Reply { request, .. } | Input::Unknown { request, .. } => {
                self.open.retain(|open| open.request != *request);
            }
            Input::Wake { reason, .. } => self.wakes.retain(|(known, _)| known != reason),
            Input::Acquire { .. }
            | Input::Late { .. }
            | Input::Link { .. }
            | Input::Push { .. }
            | Input::Extend { .. }
            | Input::Check { .. }
            | Input::Release { .. }
            | Input::Cancel { .. } => {}
        }
        self.core.on_input(self.now(), input, &mut out);
        for output in &out {
            self.obey(output);
        }
        out
    }

    pub(crate) fn draw(&mut self) -> Draw {
        self.nonces += 1;
        Draw { nonce: Nonce(self.nonces), jitter: self.jitter }
    }

    /// The canonical form of the core as it stands.
    pub(crate) fn canonical(&self, client: ClientId) -> Core {
        let (mut core, mut clocks) = (self.core.clone(), self.clocks);
        let mut canon = Canon::new(self.world);
        canon.enter(&mut clocks);
        core.canonical(client, &mut canon);
        core
    }

    fn obey(&mut self, output: &Output) {
        match output {
            Output::Send { request, voter, connection, command, limit, label } => {
                let subscribes = [&b"SUBSCRIBE"[..], b"UNSUBSCRIBE"].contains(&command.name().as_ref());
                assert_eq!(*connection, ConnectionId(u8::from(subscribes)));
                assert!(self.open.iter().all(|open| open.request != *request), "request id used twice");
                let name = (
                    *voter,
                    label.operation,
                    label.number,
                    CommandName::of(command.name()),
                    label.occurrence,
                );
                assert!(self.names.insert(name), "two messages of one name: {name:?}");
                let (request, voter, limit) = (*request, *voter, *limit);
                self.open.push(Open { request, voter, command: command.clone(), limit });
            }
            Output::Wake { at, reason } => {
                self.wakes.retain(|(known, _)| known != reason);
                self.wakes.push((*reason, *at));
            }
            Output::Quiet { reason } => self.wakes.retain(|(known, _)| known != reason),
            Output::Connect { .. }
            | Output::Attempt { .. }
            | Output::Granted { .. }
            | Output::Refused { .. }
            | Output::Extended { .. }
            | Output::ExtendFailed { .. }
            | Output::Checked { .. }
            | Output::Released { .. }
            | Output::Lost { .. } => {}
        }
    }

    /// Gives what one line of a script says; answers its outputs as text.
    pub(crate) fn line(&mut self, line: &str) -> String {
        let (ms, rest) = line.trim().split_once(' ').expect("a time and an input");
        self.at(ms.parse().expect("milliseconds"));
        self.said(rest)
    }

    fn said(&mut self, rest: &str) -> String {
        let mut words: Vec<&str> = rest.split_whitespace().collect();
        let caller = match words.last() {
            Some(&"other") => {
                words.pop();
                Caller(2)
            }
            _ => Caller(1),
        };
        let input = match words.as_slice() {
            ["acquire"] => Input::Acquire { caller, ttl: self.core.describe().ttl, draw: self.draw() },
            ["acquire", ttl] => Input::Acquire { caller, ttl: life(ttl), draw: self.draw() },
            ["extend", ttl] => Input::Extend { caller, ttl: life(ttl) },
            ["check"] => Input::Check { caller },
            ["release"] => Input::Release { caller },
            ["cancel"] => Input::Cancel { caller },
            ["retry"] => Input::Wake { reason: WakeReason::Retry, draw: self.draw() },
            ["renew"] => Input::Wake { reason: WakeReason::Renew, draw: self.draw() },
            ["link"] => {
                let (voter, connection) = (VoterId(0), ConnectionId(0));
                Input::Link { voter, connection, state: LinkState::Reset }
            }
            ["link", "messages"] => {
                let (voter, connection) = (VoterId(0), ConnectionId(1));
                Input::Link { voter, connection, state: LinkState::Reset }
            }
            ["told"] => Input::Push { voter: VoterId(0), message: message("stock:channel") },
            ["told", "elsewhere"] => Input::Push { voter: VoterId(0), message: message("else") },
            ["push"] => Input::Push { voter: VoterId(0), message: Reply::OK },
            ["late", number] => {
                Input::Late { request: RequestId(number.parse().expect("an id")), reply: Reply::OK }
            }
            ["wall", ms] => {
                let by = Span::from_ms(ms.parse().expect("milliseconds"));
                self.clocks.clock_mut(ClockKind::Wall).step(self.world, by);
                return String::new();
            }
            ["old", answer, voters] => return self.answers(answer, voters, true),
            [answer, voters] => return self.answers(answer, voters, false),
            other => panic!("no such input: {other:?}"),
        };
        let outputs = self.give(input);
        self.render(&outputs)
    }

    fn answers(&mut self, answer: &str, voters: &str, old: bool) -> String {
        let mut outputs = Vec::new();
        for digit in voters.chars() {
            let voter = VoterId(digit.to_digit(10).expect("a voter") as u8 - 1);
            let of_voter = |open: &&Open| open.voter == voter;
            let open = if old { self.open.iter().find(of_voter) } else { self.open.iter().rfind(of_voter) };
            let request = open.expect("an open request").request;
            let input = match answer {
                "ok" => Input::Reply { request, reply: Reply::OK },
                "null" => Input::Reply { request, reply: Reply::Null },
                "error" => Input::Reply { request, reply: Reply::error("LOADING") },
                "own" => Input::Reply { request, reply: Reply::Bulk(Nonce(self.nonces).to_bytes()) },
                "foreign" => Input::Reply { request, reply: Reply::Bulk(Bytes::from_static(b"else")) },
                "master0" => Input::Reply { request, reply: role("master", 0) },
                "master2" => Input::Reply { request, reply: role("master", 2) },
                "slave" => Input::Reply { request, reply: role("slave", 0) },
                "queued" => Input::Reply { request, reply: Reply::Status("QUEUED".into()) },
                "exec1" => Input::Reply { request, reply: Reply::Array(vec![Reply::Int(1)]) },
                "exec0" => Input::Reply { request, reply: Reply::Array(vec![Reply::Int(0)]) },
                "fence4" => Input::Reply { request, reply: Reply::Array(vec![Reply::Int(1), Reply::Int(4)]) },
                "held9" => Input::Reply { request, reply: Reply::Array(vec![Reply::Int(0), Reply::Int(9)]) },
                "array" => Input::Reply { request, reply: Reply::NullArray },
                "timeout" => Input::Unknown { request, why: UnknownReason::TimedOut },
                "broken" => Input::Unknown { request, why: UnknownReason::Disconnected },
                "unsent" => Input::Unknown { request, why: UnknownReason::NotSent },
                number => Input::Reply { request, reply: Reply::Int(number.parse().expect("an answer")) },
            };
            outputs.extend(self.give(input));
        }
        self.render(&outputs)
    }

    fn render(&self, outputs: &[Output]) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut last = None;
        for output in outputs {
            if let Output::Send { voter, command, label, .. } = output {
                let index = char::from(b'1' + voter.0);
                let same = (command.clone(), *label);
                if last.as_ref() == Some(&same) {
                    let part = parts.last_mut().expect("a send before");
                    part.insert(part.find(' ').expect("a name"), index);
                } else {
                    let name = CommandName::of(command.name());
                    let Label { worker, operation, number, occurrence } = label;
                    let by =
                        if worker.to_string() == "user" { String::new() } else { format!(" by {worker}") };
                    parts.push(format!(">{index} {operation}.{number}.{name}.{occurrence}{by}"));
                }
                last = Some(same);
                continue;
            }
            last = None;
            parts.push(self.render_one(output));
        }
        parts.join("; ")
    }

    fn render_one(&self, output: &Output) -> String {
        let whose = |caller: &Caller| if caller.0 == 1 { "" } else { " other" };
        match output {
            Output::Send { .. } | Output::Connect { .. } => format!("{output:?}"),
            Output::Wake { at, reason } => format!("wake {reason:?} at {}", *at - self.zero.mono),
            Output::Quiet { reason } => format!("quiet {reason:?}"),
            Output::Attempt { number } => format!("attempt {number}"),
            Output::Granted { caller, nonce, until, fence } => {
                let fence = fence.map_or(String::new(), |fence| format!(" fence {fence}"));
                format!("granted nonce {} until {}{fence}{}", nonce.0, self.until(*until), whose(caller))
            }
            Output::Refused { caller, why } => format!("refused {why:?}{}", whose(caller)),
            Output::Extended { caller, until } => {
                format!("extended until {}{}", self.until(*until), whose(caller))
            }
            Output::ExtendFailed { caller, why, still } => {
                let still = still.map_or("nothing".to_owned(), |until| self.until(until));
                format!("extend failed {why:?} still {still}{}", whose(caller))
            }
            Output::Checked { caller, found } => format!("checked {found:?}{}", whose(caller)),
            Output::Released { caller, how } => format!("released {how:?}{}", whose(caller)),
            Output::Lost { caller, why } => format!("lost {why:?}{}", whose(caller)),
        }
    }

    fn until(&self, until: Until) -> String {
        match until {
            Until::Mono(end) => (end - self.zero.mono).to_string(),
            Until::Wall(end) => format!("wall {}", end - self.zero.wall),
            Until::Released => "released".to_owned(),
            Until::Lost => "lost".to_owned(),
            Until::Untold => "untold".to_owned(),
        }
    }
}

/// An answer to ROLE.
fn role(name: &'static str, replicas: usize) -> Reply {
    let text = |text: &'static str| Reply::Bulk(Bytes::from_static(text.as_bytes()));
    let replica = Reply::Array(vec![text("127.0.0.1"), text("6380"), text("14")]);
    Reply::Array(vec![text(name), Reply::Int(14), Reply::Array(vec![replica; replicas])])
}

/// A message on a channel.
fn message(channel: &'static str) -> Reply {
    let text = |text: &'static str| Reply::Bulk(Bytes::from_static(text.as_bytes()));
    Reply::Array(vec![text("message"), text(channel), text("released")])
}

fn life(text: &str) -> Ttl {
    match text {
        "never" => Ttl::Never,
        ms => Ttl::Of(Span::from_ms(ms.parse().expect("milliseconds"))),
    }
}
