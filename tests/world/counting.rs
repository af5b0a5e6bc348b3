//! A small lock of the tests' own that counts: a hash on one node, one field per owner, shared among readers if it is
//! told so, first-come if it is told so; with ways to be wrong.
//!
//! An owner keeps its nonce for life. A request that becomes unknown is sent again; a call that is refused is tried
//! again so often. Must not be sound about lost answers: that is what it is for.

use bytes::Bytes;
use fencepost::canon::{Canon, IdKind};
use fencepost::lock::{
    Basis, Caller, ConnectionId, CoreTraits, Input, KeyRole, Label, LockCore, LockKey, Output, RefuseReason,
    Released, RequestId, Stored, Ttl, Until, WakeReason,
};
use fencepost::name::{ClientId, Nonce, Operation, VoterId, Worker};
use fencepost::resp::{Command, Reply};
use fencepost::time::{ClockKind, MonoTime, Now, Span};

const ENTER: &str = "
    local mode = redis.call('hget', KEYS[1], 'mode')
    local own = redis.call('hexists', KEYS[1], ARGV[1]) == 1
    if mode and not own and not (mode == 'read' and ARGV[3] == 'read') then return 0 end
    if ARGV[4] ~= '' then
        local line = redis.call('get', KEYS[2]) or ''
        if not own and not string.find(line, ARGV[1], 1, true) then line = line .. ARGV[1] .. ' ' end
        if ARGV[4] == 'line' and not own and string.sub(line, 1, #ARGV[1]) ~= ARGV[1] then
            redis.call('set', KEYS[2], line)
            return 0
        end
        local at = string.find(line, ARGV[1], 1, true)
        if at then line = string.sub(line, 1, at - 1) .. string.sub(line, at + #ARGV[1] + 1) end
        redis.call('set', KEYS[2], line)
    end
    redis.call('hset', KEYS[1], 'mode', ARGV[3])
    redis.call('hincrby', KEYS[1], ARGV[1], 1)
    redis.call('pexpire', KEYS[1], ARGV[2])
    return 1";

/// The line of those who wait is written down even by whoever is refused at once.
const COME: &str = "
    if redis.call('hexists', KEYS[1], ARGV[1]) == 0 and redis.call('exists', KEYS[1]) == 1 then
        local line = redis.call('get', KEYS[2]) or ''
        if not string.find(line, ARGV[1], 1, true) then redis.call('set', KEYS[2], line .. ARGV[1] .. ' ') end
    end";

const LEAVE: &str = "
    if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
    if redis.call('hincrby', KEYS[1], ARGV[1], -1) == 0 then redis.call('hdel', KEYS[1], ARGV[1]) end
    if redis.call('hlen', KEYS[1]) == 1 then redis.call('del', KEYS[1]) end
    return 1";

const DROP: &str = "return redis.call('del', KEYS[1])";

/// What kind of lock it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kind {
    pub(crate) shared: bool,
    pub(crate) line: Line,
    pub(crate) leaving: Leaving,
    /// How long it waits before it tries again.
    pub(crate) delay: Span,
    /// How often it does.
    pub(crate) tries: u32,
}

/// Whether it is first-come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Line {
    /// It makes no such promise.
    None,
    /// It is.
    Kept,
    /// It says so and is not.
    Ignored,
}

/// What a release does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Leaving {
    /// Takes one hold back.
    Counted,
    /// Deletes the whole key, whoever else holds by it.
    Blunt,
    /// Nothing, and says that it did.
    Mute,
}

pub(crate) const OWNER: Kind =
    Kind { shared: false, line: Line::None, leaving: Leaving::Counted, delay: Span::from_ms(10), tries: 0 };

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Counting {
    kind: Kind,
    key: Bytes,
    life: Span,
    owner: Option<Nonce>,
    state: State,
    requests: u32,
    attempts: u32,
    releases: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Resting,
    Asking { request: u32, number: u32, left: u32, ttl: Span, sent: MonoTime },
    Waiting { left: u32, ttl: Span },
    Releasing { request: u32, number: u32 },
}

const LIMIT: Span = Span::from_ms(20);

impl Counting {
    pub(crate) fn new(kind: Kind, life_ms: i64, key: &Bytes) -> Self {
        let (state, life) = (State::Resting, Span::from_ms(life_ms));
        Self { kind, key: key.clone(), life, owner: None, state, requests: 0, attempts: 0, releases: 0 }
    }

    fn ask(&mut self, now: Now, left: u32, ttl: Span, out: &mut Vec<Output>) {
        self.attempts += 1;
        out.push(Output::Attempt { number: self.attempts });
        self.send_ask(now, self.attempts, left, ttl, 1, out);
    }

    fn send_ask(&mut self, now: Now, number: u32, left: u32, ttl: Span, nth: u8, out: &mut Vec<Output>) {
        let (mode, line) = (if self.kind.shared { "read" } else { "write" }, self.kind.line);
        let line = match line {
            Line::None => "",
            Line::Kept => "line",
            Line::Ignored => "crowd",
        };
        let script = if line.is_empty() { ENTER.to_owned() } else { format!("{COME}\n{ENTER}") };
        let life = ttl.as_ms_floor().to_string();
        let request = self.send(Operation::Acquire, number, nth, &script, &[&life, mode, line], out);
        self.state = State::Asking { request, number, left, ttl, sent: now.mono };
    }

    fn release(&mut self, number: u32, nth: u8, out: &mut Vec<Output>) {
        let script = match self.kind.leaving {
            Leaving::Counted => LEAVE,
            Leaving::Blunt => DROP,
            Leaving::Mute => "return 1",
        };
        let request = self.send(Operation::Release, number, nth, script, &[], out);
        self.state = State::Releasing { request, number };
    }

    fn send(
        &mut self,
        operation: Operation,
        number: u32,
        occurrence: u8,
        script: &str,
        more: &[&str],
        out: &mut Vec<Output>,
    ) -> u32 {
        self.requests += 1;
        let owner = self.owner.expect("a call drew it").to_bytes();
        let line = Bytes::from([self.key.as_ref(), b":line"].concat());
        let head = [Bytes::from("EVAL"), Bytes::from(script.to_owned()), Bytes::from("2")];
        let more = more.iter().map(|word| Bytes::from((*word).to_owned()));
        let words = head.into_iter().chain([self.key.clone(), line, owner]).chain(more);
        out.push(Output::Send {
            request: RequestId(self.requests),
            voter: VoterId(0),
            connection: ConnectionId(0),
            command: Command::new(words.collect::<Vec<_>>()),
            limit: LIMIT,
            label: Label { worker: Worker::User, operation, number, occurrence },
        });
        self.requests
    }

    fn on_reply(&mut self, now: Now, answer: RequestId, reply: &Reply, out: &mut Vec<Output>) {
        let caller = Caller(0);
        assert!(matches!(reply, Reply::Int(_)), "{reply:?}");
        match self.state {
            State::Asking { request, ttl, sent, left, .. } if request == answer.0 => {
                self.state = State::Resting;
                if *reply == Reply::Int(1) {
                    let until = Until::Mono(sent + ttl);
                    let nonce = self.owner.expect("a call drew it");
                    out.push(Output::Granted { caller, nonce, until, fence: None });
                } else if left > 0 {
                    self.state = State::Waiting { left: left - 1, ttl };
                    out.push(Output::Wake { at: now.mono + self.kind.delay, reason: WakeReason::Retry });
                } else {
                    out.push(Output::Refused { caller, why: RefuseReason::Taken });
                }
            }
            State::Releasing { request, .. } if request == answer.0 => {
                self.state = State::Resting;
                let found = *reply == Reply::Int(1);
                let how = if found { Released::Confirmed } else { Released::NotOwned };
                out.push(Output::Released { caller, how });
            }
            _ => {}
        }
    }
}

impl LockCore for Counting {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match (input, &self.state) {
            (Input::Acquire { ttl, draw, .. }, State::Resting) => {
                self.owner.get_or_insert(draw.nonce);
                let Ttl::Of(ttl) = ttl else { panic!("it always expires") };
                self.ask(now, self.kind.tries, ttl, out);
            }
            (Input::Wake { reason: WakeReason::Retry, .. }, State::Waiting { left, ttl }) => {
                let (left, ttl) = (*left, *ttl);
                self.ask(now, left, ttl, out);
            }
            (Input::Release { .. }, State::Resting) => {
                self.releases += 1;
                self.release(self.releases, 1, out);
            }
            (Input::Cancel { caller }, State::Asking { .. } | State::Waiting { .. }) => {
                self.state = State::Resting;
                out.push(Output::Refused { caller, why: RefuseReason::Cancelled });
            }
            (Input::Reply { request, reply }, _) => self.on_reply(now, request, &reply, out),
            (Input::Unknown { request: lost, .. }, State::Asking { request, number, left, ttl, .. })
                if *request == lost.0 =>
            {
                let (number, left, ttl) = (*number, *left, *ttl);
                self.send_ask(now, number, left, ttl, 2, out);
            }
            (Input::Unknown { request: lost, .. }, State::Releasing { request, number })
                if *request == lost.0 =>
            {
                let number = *number;
                self.release(number, 2, out);
            }
            _ => {}
        }
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        if let Some(owner) = &mut self.owner {
            canon.nonce(owner);
        }
        match &mut self.state {
            State::Resting | State::Waiting { .. } => {}
            State::Asking { request, number, sent, .. } => {
                canon.id(IdKind::Request(client), request);
                canon.id(IdKind::Operation(client, Operation::Acquire), number);
                canon.mono_moment(sent);
            }
            State::Releasing { request, number } => {
                canon.id(IdKind::Request(client), request);
                canon.id(IdKind::Operation(client, Operation::Release), number);
            }
        }
        canon.counter(IdKind::Request(client), &mut self.requests);
        canon.counter(IdKind::Operation(client, Operation::Acquire), &mut self.attempts);
        canon.counter(IdKind::Operation(client, Operation::Release), &mut self.releases);
    }

    fn describe(&self) -> CoreTraits {
        CoreTraits {
            protocol: "counting",
            keys: vec![LockKey { key: self.key.clone(), role: KeyRole::Hold }],
            voters: 1,
            quorum: 1,
            ttl: Ttl::Of(self.life),
            clock: ClockKind::Mono,
            basis: Some(Basis::Send),
            fenced: false,
            fifo: self.kind.line != Line::None,
            reentrant: true,
            shared: self.kind.shared,
            ordered_voters: false,
            renewal: None,
            node_timeout: LIMIT,
            call_max: LIMIT + LIMIT,
        }
    }

    fn backs(&self, nonce: Nonce, stored: &Stored) -> bool {
        self.holds(nonce, stored) > 0
    }

    fn holds(&self, nonce: Nonce, stored: &Stored) -> u32 {
        let Stored::Hash(fields) = stored else { return 0 };
        let own = fields.iter().find(|(field, _)| *field == nonce.to_bytes());
        own.map_or(0, |(_, count)| std::str::from_utf8(count).unwrap().parse().unwrap())
    }
}
