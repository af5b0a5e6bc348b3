//! A small lock of somebody's own: SET NX PX on one node, and a comparing script to give it back.
//!
//! With slips, so that a proof has something to find. Must not be shipped.

use bytes::Bytes;
use fencepost::canon::{Canon, IdKind};
use fencepost::lock::{
    Basis, Caller, ConnectionId, CoreTraits, Found, Input, KeyRole, Label, LockCore, LockKey, Output,
    RefuseReason, Released, RequestId, Stored, Ttl, Until,
};
use fencepost::name::{ClientId, Nonce, Operation, VoterId, Worker};
use fencepost::prove::Scope;
use fencepost::resp::{Command, Reply};
use fencepost::time::{ClockKind, MonoTime, Now, Span};

const KEY: &str = "spin";
const GIVE_BACK: &str =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
const GIVE_BACK_ALOUD: &str = "if redis.call('get', KEYS[1]) == ARGV[1] then \
     redis.call('publish', KEYS[1], ARGV[1]) return redis.call('del', KEYS[1]) end return 0";

/// What its author got wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slip {
    None,
    /// A promise that lasts longer than the key.
    PromisesLonger,
}

/// Whether it hears of what others give back, over a connection of its own. It does nothing about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Ear {
    Deaf,
    /// It subscribes with its next call.
    Closed,
    Opening {
        request: u32,
    },
    Open,
}

/// The lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Spin {
    slip: Slip,
    life: Span,
    drift: Span,
    limit: Span,
    attempts: u32,
    releases: u32,
    requests: u32,
    ear: Ear,
    heard: Option<Nonce>,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Idle,
    Asking { number: u32, request: u32, nonce: Nonce, until: MonoTime },
    Holding { nonce: Nonce },
    Releasing { number: u32, request: u32, nonce: Nonce },
}

impl Spin {
    pub(super) fn new(scope: &Scope, slip: Slip) -> Self {
        let (life, drift, limit) = (scope.key_life(), scope.drift(), scope.request_limit());
        let (ear, heard, state) = (Ear::Deaf, None, State::Idle);
        Self { slip, life, drift, limit, attempts: 0, releases: 0, requests: 0, ear, heard, state }
    }

    /// One that hears of what others give back.
    pub(super) fn listening(self) -> Self {
        Self { ear: Ear::Closed, ..self }
    }

    pub(super) fn with_limit(self, limit: Span) -> Self {
        Self { limit, ..self }
    }

    fn send(&mut self, words: Vec<Bytes>, operation: Operation, number: u32, out: &mut Vec<Output>) -> u32 {
        self.requests += 1;
        out.push(Output::Send {
            request: RequestId(self.requests),
            voter: VoterId(0),
            connection: ConnectionId(0),
            command: Command::new(words),
            limit: self.limit,
            label: Label { worker: Worker::User, operation, number, occurrence: 1 },
        });
        self.requests
    }

    fn promise(&self, sent: MonoTime) -> MonoTime {
        match self.slip {
            Slip::None => sent + self.life - self.drift,
            Slip::PromisesLonger => sent + (self.life - self.drift) + (self.life - self.drift),
        }
    }

    fn acquire(&mut self, now: Now, nonce: Nonce, out: &mut Vec<Output>) {
        self.attempts += 1;
        let number = self.attempts;
        out.push(Output::Attempt { number });
        if self.ear == Ear::Closed {
            self.requests += 1;
            let request = self.requests;
            out.push(Output::Send {
                request: RequestId(request),
                voter: VoterId(0),
                connection: ConnectionId(1),
                command: Command::new(["SUBSCRIBE".into(), Bytes::from(KEY)]),
                limit: self.limit,
                label: Label { worker: Worker::User, operation: Operation::Check, number, occurrence: 1 },
            });
            self.ear = Ear::Opening { request };
        }
        let life = self.life.as_ms_floor().to_string();
        let words: [Bytes; 6] =
            ["SET".into(), KEY.into(), nonce.to_bytes(), "NX".into(), "PX".into(), life.into()];
        let request = self.send(words.to_vec(), Operation::Acquire, number, out);
        self.state = State::Asking { number, request, nonce, until: self.promise(now.mono) };
    }

    fn release(&mut self, nonce: Nonce, out: &mut Vec<Output>) {
        self.releases += 1;
        let number = self.releases;
        let script = if self.ear == Ear::Deaf { GIVE_BACK } else { GIVE_BACK_ALOUD };
        let words: [Bytes; 5] = ["EVAL".into(), script.into(), "1".into(), KEY.into(), nonce.to_bytes()];
        let request = self.send(words.to_vec(), Operation::Release, number, out);
        self.state = State::Releasing { number, request, nonce };
    }

    /// The answer to whatever was asked; `None` if none came in time.
    fn answered(&mut self, now: Now, answered: RequestId, reply: Option<&Reply>, out: &mut Vec<Output>) {
        if self.ear == (Ear::Opening { request: answered.0 }) {
            self.ear = if reply.is_some() { Ear::Open } else { Ear::Closed };
            return;
        }
        match self.state {
            State::Asking { request, nonce, until, .. } if request == answered.0 => {
                let refuse = |why| Output::Refused { caller: Caller(0), why };
                self.state = State::Idle;
                out.push(match reply {
                    Some(reply) if *reply == Reply::OK && now.mono < until => {
                        self.state = State::Holding { nonce };
                        Output::Granted { caller: Caller(0), nonce, until: Until::Mono(until), fence: None }
                    }
                    Some(reply) if *reply == Reply::OK => refuse(RefuseReason::TooLate),
                    Some(_) => refuse(RefuseReason::Taken),
                    None => refuse(RefuseReason::Unknown),
                });
            }
            State::Releasing { request, .. } if request == answered.0 => {
                self.state = State::Idle;
                let how = match reply {
                    Some(Reply::Int(1)) => Released::Confirmed,
                    Some(_) => Released::NotOwned,
                    None => Released::Unknown,
                };
                out.push(Output::Released { caller: Caller(0), how });
            }
            State::Idle | State::Asking { .. } | State::Holding { .. } | State::Releasing { .. } => {}
        }
    }
}

impl LockCore for Spin {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Acquire { draw, .. } => self.acquire(now, draw.nonce, out),
            Input::Reply { request, reply } => self.answered(now, request, Some(&reply), out),
            Input::Unknown { request, .. } => self.answered(now, request, None, out),
            Input::Release { .. } => {
                if let State::Holding { nonce } = self.state {
                    self.release(nonce, out);
                }
            }
            Input::Check { caller } => out.push(Output::Checked { caller, found: Found::Unknown }),
            Input::Push { message: Reply::Push(parts), .. } => {
                if let [_, _, Reply::Bulk(nonce)] = parts.as_slice() {
                    self.heard = Nonce::from_bytes(nonce);
                }
            }
            Input::Extend { .. }
            | Input::Late { .. }
            | Input::Link { .. }
            | Input::Push { .. }
            | Input::Wake { .. }
            | Input::Cancel { .. } => {}
        }
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        match &mut self.state {
            State::Idle => {}
            State::Asking { number, request, nonce, until } => {
                canon.id(IdKind::Operation(client, Operation::Acquire), number);
                canon.id(IdKind::Request(client), request);
                canon.nonce(nonce);
                canon.mono_moment(until);
            }
            State::Holding { nonce } => canon.nonce(nonce),
            State::Releasing { number, request, nonce } => {
                canon.id(IdKind::Operation(client, Operation::Release), number);
                canon.id(IdKind::Request(client), request);
                canon.nonce(nonce);
            }
        }
        if let Ear::Opening { request } = &mut self.ear {
            canon.id(IdKind::Request(client), request);
        }
        if let Some(heard) = &mut self.heard {
            canon.nonce(heard);
        }
        canon.counter(IdKind::Request(client), &mut self.requests);
        canon.counter(IdKind::Operation(client, Operation::Acquire), &mut self.attempts);
        canon.counter(IdKind::Operation(client, Operation::Release), &mut self.releases);
    }

    fn describe(&self) -> CoreTraits {
        CoreTraits {
            protocol: "spin",
            keys: vec![LockKey { key: Bytes::from_static(KEY.as_bytes()), role: KeyRole::Hold }],
            voters: 1,
            quorum: 1,
            ttl: Ttl::Of(self.life),
            clock: ClockKind::Mono,
            basis: Some(Basis::Send),
            fenced: false,
            fifo: false,
            reentrant: false,
            shared: false,
            ordered_voters: false,
            renewal: None,
            node_timeout: self.limit,
            call_max: self.limit,
        }
    }

    fn backs(&self, nonce: Nonce, stored: &Stored) -> bool {
        *stored == Stored::Text(nonce.to_bytes())
    }
}
