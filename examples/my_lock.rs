//! A lock of your own, from nothing to tests, runs, hunts, a row of the comparison and proofs: a template to copy.
//!
//! `cargo run --example my_lock -- run kleppmann-gc-pause` explains one run of it, and so on for every verb; `cargo test
//! --example my_lock` runs its tests. The lock is `SET key nonce NX PX ttl` on one node, given back by a script that
//! compares. It never prolongs a hold. Must not use anything that a crate of your own cannot.

use fencepost::canon::{Canon, IdKind};
use fencepost::lock::{
    Caller, CoreTraits, ExtendFailure, Found, Input, LockCore, Output, RefuseReason, Released, RequestId,
    Requests, Terms, Until, WakeReason,
};
use fencepost::name::{ClientId, Nonce, Operation, VoterId};
use fencepost::resp::{Bytes, Reply};
use fencepost::time::{MonoTime, Now};

/// Deletes the key if it is still ours, in one step.
const COMPARE_AND_DELETE: &str =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

/// The lock of one client: a value that takes facts and returns duties. It has no clock, no chance and no connection of
/// its own, so that each of its runs can be repeated, and all of them can be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MyLock {
    terms: Terms,
    /// What gives a key back.
    script: &'static str,
    state: State,
    /// How many attempts the call in progress has left.
    left: u32,
    /// They name messages.
    requests: Requests,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Idle,
    /// SET was sent. The promise is over at `until`, which counts from before the request left.
    Asking {
        request: RequestId,
        nonce: Nonce,
        until: MonoTime,
        jitter: u32,
    },
    /// The next attempt comes with a wake.
    Waiting,
    Holding {
        nonce: Nonce,
        until: MonoTime,
    },
    Releasing {
        request: RequestId,
    },
}

impl MyLock {
    fn new(terms: &Terms) -> Self {
        let (terms, script, state) = (terms.clone(), COMPARE_AND_DELETE, State::Idle);
        Self { terms, script, state, left: 0, requests: Requests::none() }
    }

    fn attempt(&mut self, now: Now, nonce: Nonce, jitter: u32, out: &mut Vec<Output>) {
        self.requests.begin(Operation::Acquire, out);
        let (key, life) = (self.terms.key.clone(), self.terms.ttl.as_ms_floor().to_string());
        let set = ["SET".into(), key, nonce.to_bytes(), "NX".into(), "PX".into(), life.into()];
        let request = self.send(Operation::Acquire, set, out);
        // The node starts the life of the key later than this, so the promise ends first.
        let until = now.mono + self.terms.ttl - self.terms.margin;
        self.state = State::Asking { request, nonce, until, jitter };
    }

    /// The answer to a request; `None` if none came in time, so that nobody knows what it did.
    fn answered(&mut self, now: Now, to: RequestId, reply: Option<Reply>, out: &mut Vec<Output>) {
        let caller = Caller(0);
        match self.state {
            State::Asking { request, nonce, until, jitter } if request == to => {
                let why = match reply {
                    Some(reply) if reply == Reply::OK && now.mono < until => {
                        self.state = State::Holding { nonce, until };
                        let until = Until::Mono(until);
                        return out.push(Output::Granted { caller, nonce, until, fence: None });
                    }
                    Some(reply) if reply == Reply::OK => RefuseReason::TooLate,
                    Some(_) => RefuseReason::Taken,
                    None => RefuseReason::Unknown,
                };
                if why != RefuseReason::Taken {
                    // The key is there, or may be, or may come yet. Nobody waits for the answer to this.
                    self.give_back(Operation::Acquire, nonce, out);
                }
                if self.left == 0 {
                    self.state = State::Idle;
                    return out.push(Output::Refused { caller, why });
                }
                self.left -= 1;
                self.state = State::Waiting;
                let at = now.mono + self.terms.retry.wait(jitter);
                out.push(Output::Wake { at, reason: WakeReason::Retry });
            }
            State::Releasing { request } if request == to => {
                self.state = State::Idle;
                let how = match reply {
                    Some(Reply::Int(1)) => Released::Confirmed,
                    Some(Reply::Int(_)) => Released::NotOwned,
                    Some(_) | None => Released::Unknown,
                };
                out.push(Output::Released { caller, how });
            }
            // The answer to something that is over.
            State::Idle
            | State::Asking { .. }
            | State::Waiting
            | State::Holding { .. }
            | State::Releasing { .. } => {}
        }
    }

    fn release(&mut self, caller: Caller, out: &mut Vec<Output>) {
        let State::Holding { nonce, .. } = self.state else {
            return out.push(Output::Released { caller, how: Released::NotOwned });
        };
        self.requests.begin(Operation::Release, out);
        let request = self.give_back(Operation::Release, nonce, out);
        self.state = State::Releasing { request };
    }

    fn give_back(&mut self, part_of: Operation, nonce: Nonce, out: &mut Vec<Output>) -> RequestId {
        let (script, key) = (self.script.into(), self.terms.key.clone());
        self.send(part_of, ["EVAL".into(), script, "1".into(), key, nonce.to_bytes()], out)
    }

    fn send<const N: usize>(
        &mut self,
        part_of: Operation,
        words: [Bytes; N],
        out: &mut Vec<Output>,
    ) -> RequestId {
        self.requests.send(part_of, VoterId(0), words, self.terms.node_timeout, out)
    }
}

impl LockCore for MyLock {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            // Whoever holds, or asks already, is not served a second time.
            Input::Acquire { caller, .. } if self.state != State::Idle => {
                out.push(Output::Refused { caller, why: RefuseReason::Misuse });
            }
            Input::Acquire { draw, .. } => {
                self.left = self.terms.retry.retries;
                self.attempt(now, draw.nonce, draw.jitter, out);
            }
            Input::Wake { draw, .. } => self.attempt(now, draw.nonce, draw.jitter, out),
            Input::Reply { request, reply } => self.answered(now, request, Some(reply), out),
            Input::Unknown { request, .. } => self.answered(now, request, None, out),
            Input::Release { caller } => self.release(caller, out),
            Input::Extend { caller, .. } => {
                let holding =
                    |state| if let State::Holding { until, .. } = state { Some(until) } else { None };
                let still = holding(self.state).map(Until::Mono);
                out.push(Output::ExtendFailed { caller, why: ExtendFailure::Misuse, still });
            }
            Input::Check { caller } => out.push(Output::Checked { caller, found: Found::Unknown }),
            Input::Late { .. } | Input::Link { .. } | Input::Push { .. } | Input::Cancel { .. } => {}
        }
    }

    /// For proofs: every time, nonce and number that is kept, so that states with the same future become equal.
    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        match &mut self.state {
            State::Idle | State::Waiting => {}
            State::Asking { request, nonce, until, .. } => {
                canon.id(IdKind::Request(client), &mut request.0);
                canon.nonce(nonce);
                canon.mono_moment(until);
            }
            State::Holding { nonce, until } => {
                canon.nonce(nonce);
                canon.mono_moment(until);
            }
            State::Releasing { request } => canon.id(IdKind::Request(client), &mut request.0),
        }
        self.requests.canonical(client, canon);
    }

    /// What the lock promises: oracles and their bounds go by it. It asks one node, however many there are.
    fn describe(&self) -> CoreTraits {
        CoreTraits { voters: 1, quorum: 1, ..self.terms.traits("my-lock") }
    }
}

fn main() -> fencepost::cli::Exit {
    fencepost::cli::main_with(std::env::args_os(), MyLock::new)
}

#[cfg(test)]
mod tests {
    use super::MyLock;
    use fencepost::check::OracleName;
    use fencepost::lock::Terms;
    use fencepost::prove::Scope;
    use fencepost::test::{compare, hunt, scenario, sweep};

    /// The same lock with a bug: it deletes whatever is there.
    fn careless(terms: &Terms) -> MyLock {
        MyLock { script: "return redis.call('del', KEYS[1])", ..MyLock::new(terms) }
    }

    /// A holder overruns its TTL and gives back what has become its rival's. The bug, and the fix under the same plan.
    #[test]
    fn only_comparing_spares_the_next_holder() {
        scenario("plain-del-overrun").with(careless).assert_violates(OracleName::ForeignChange);
        scenario("plain-del-overrun").with(MyLock::new).assert_holds(&[OracleName::ForeignChange]);
    }

    /// Every shipped scenario with one node: nowhere worse than the shipped lock.
    #[test]
    fn it_is_no_worse_than_the_shipped_lock() {
        sweep(MyLock::new)
            .must_hold(&[OracleName::ForeignChange, OracleName::PromiseEmpty])
            .assert_no_worse();
    }

    /// A hundred plans with partitions, drawn from the seed.
    #[test]
    fn no_promises_overlap_behind_partitions() {
        hunt("compare:single", "partitions", 0..100)
            .with(MyLock::new)
            .assert_holds(&[OracleName::PromiseOverlap, OracleName::ForeignChange]);
    }

    /// Every schedule of two clients whose work may outlast their promise.
    #[test]
    fn no_schedule_of_a_small_world_breaks_it() {
        let scope = Scope { node_timeout: 2, work: 4, ..Scope::small(1) };
        fencepost::prove(MyLock::new(&scope.terms()), scope).assert_holds();
        fencepost::prove(careless(&scope.terms()), scope).assert_violates(OracleName::PromiseOverlap);
    }

    /// A row of one's own beside the shipped ones, as a text.
    #[test]
    fn it_has_a_row_in_the_comparison() {
        let table = compare(MyLock::new).rows(&["single"]).columns(&["calm", "suspends"]).runs(20).table();
        assert!(table.contains("my-lock"), "{table}");
    }
}
