//! Two clients take the same two locks in opposite orders, and each holds one while it waits for the other.
//!
//! A dead-lock is no oracle's business while both clients want the lock: what shows it is that nobody is granted.

use super::story::{Given, given, story};
use bytes::Bytes;
use fencepost::canon::{Canon, IdKind};
use fencepost::check::{OracleName, Outcome};
use fencepost::lock::{
    Basis, Caller, ConnectionId, CoreTraits, Input, KeyRole, Label, LockCore, LockKey, Output, RefuseReason,
    Released, RequestId, Stored, Ttl, Until, WakeReason,
};
use fencepost::name::{ClientId, Nonce, Operation, VoterId, Worker};
use fencepost::resp::{Command, Reply};
use fencepost::sim::RunResult;
use fencepost::time::{ClockKind, Now, Span};

/// Takes one voter after the other, waits for the second as long as it may, and gives up with what it has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Both {
    key: Bytes,
    /// The voters in the order in which it takes them.
    order: [u8; 2],
    tries: u32,
    nonce: Nonce,
    state: State,
    requests: u32,
    attempts: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Resting,
    /// How many it has; how often it may still try.
    Taking(usize, u32),
    /// How many it still has to give back; whether it was granted.
    GivingBack(usize, bool),
}

const WAIT: Span = Span::from_ms(10);

impl Both {
    fn new(order: [u8; 2], tries: u32, key: &Bytes) -> Self {
        let (nonce, state) = (Nonce(0), State::Resting);
        Self { key: key.clone(), order, tries, nonce, state, requests: 0, attempts: 0 }
    }

    fn send(&mut self, place: usize, operation: Operation, words: &[Bytes], out: &mut Vec<Output>) {
        self.requests += 1;
        out.push(Output::Send {
            request: RequestId(self.requests),
            voter: VoterId(self.order[place]),
            connection: ConnectionId(0),
            command: Command::new(words.to_vec()),
            limit: Span::from_ms(100),
            label: Label { worker: Worker::User, operation, number: self.requests, occurrence: 1 },
        });
    }

    fn take(&mut self, have: usize, left: u32, out: &mut Vec<Output>) {
        self.state = State::Taking(have, left);
        let words = [Bytes::from("SET"), self.key.clone(), self.nonce.to_bytes(), Bytes::from("NX")];
        self.send(have, Operation::Acquire, &words, out);
    }

    fn give_back(&mut self, have: usize, granted: bool, out: &mut Vec<Output>) {
        self.state = State::GivingBack(have, granted);
        let operation = if granted { Operation::Release } else { Operation::Acquire };
        self.send(have - 1, operation, &[Bytes::from("DEL"), self.key.clone()], out);
    }
}

impl LockCore for Both {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        let caller = Caller(0);
        match (input, self.state.clone()) {
            (Input::Acquire { draw, .. }, State::Resting) => {
                self.nonce = draw.nonce;
                self.attempts += 1;
                out.push(Output::Attempt { number: self.attempts });
                self.take(0, self.tries, out);
            }
            (Input::Reply { reply: Reply::Null, .. }, State::Taking(have, left)) => match (have, left) {
                (_, 1..) => {
                    self.state = State::Taking(have, left - 1);
                    out.push(Output::Wake { at: now.mono + WAIT, reason: WakeReason::Retry });
                }
                (0, 0) => {
                    self.state = State::Resting;
                    out.push(Output::Refused { caller, why: RefuseReason::Taken });
                }
                (_, 0) => self.give_back(have, false, out),
            },
            (Input::Wake { .. }, State::Taking(have, left)) => self.take(have, left, out),
            (Input::Reply { .. }, State::Taking(0, left)) => self.take(1, left, out),
            (Input::Reply { .. }, State::Taking(..)) => {
                self.state = State::Resting;
                out.push(Output::Granted { caller, nonce: self.nonce, until: Until::Released, fence: None });
            }
            (Input::Release { .. }, State::Resting) => self.give_back(2, true, out),
            (Input::Reply { .. }, State::GivingBack(2, granted)) => self.give_back(1, granted, out),
            (Input::Reply { .. }, State::GivingBack(_, granted)) => {
                self.state = State::Resting;
                out.push(match granted {
                    true => Output::Released { caller, how: Released::Confirmed },
                    false => Output::Refused { caller, why: RefuseReason::Taken },
                });
            }
            _ => {}
        }
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        canon.nonce(&mut self.nonce);
        canon.counter(IdKind::Request(client), &mut self.requests);
        canon.counter(IdKind::Operation(client, Operation::Acquire), &mut self.attempts);
    }

    fn describe(&self) -> CoreTraits {
        CoreTraits {
            protocol: "both",
            keys: vec![LockKey { key: self.key.clone(), role: KeyRole::Hold }],
            voters: 2,
            quorum: 2,
            ttl: Ttl::Never,
            clock: ClockKind::Mono,
            basis: Some(Basis::UntilReleased),
            fenced: false,
            fifo: false,
            reentrant: false,
            shared: false,
            ordered_voters: true,
            renewal: None,
            node_timeout: Span::from_ms(100),
            call_max: Span::from_ms(200),
        }
    }

    fn backs(&self, nonce: Nonce, stored: &Stored) -> bool {
        *stored == Stored::Text(nonce.to_bytes())
    }
}

fn two(orders: [[u8; 2]; 2], tries: u32, expect: &str) -> RunResult {
    let mut two: Given = given();
    (two.nodes, two.clients, two.more) = (2, 2, expect.into());
    two.run_with(|index, setup| Both::new(orders[index], tries, &setup.key))
}

const DEAD: &str = "[expect]\npromise-empty = \"not-exercised\"\n[expect.witness]\ngrants = 0\n";

fn standing(result: &RunResult, oracle: OracleName) -> Outcome {
    result.outcomes.iter().find(|(known, _)| *known == oracle).unwrap().1
}

#[test]
fn two_that_hold_and_wait_for_each_other_are_a_run_without_grants() {
    let dead = two([[0, 1], [1, 0]], 20, DEAD);
    assert_eq!(dead.judgement.mismatches, Some(vec![]));
    assert_eq!(story(&dead.records, "granted"), [""; 0]);
    assert_eq!(story(&dead.records, "refused").len(), 2);
    // Whoever takes them in one order is granted, one after the other.
    let ordered = two([[0, 1], [0, 1]], 20, DEAD);
    assert_ne!(ordered.judgement.mismatches, Some(vec![]));
    assert_eq!(story(&ordered.records, "granted").len(), 2);
}

#[test]
fn stuck_and_unavailable_blame_nobody_for_a_dead_lock() {
    use OracleName::{Stuck, Unavailable};
    // For ever: the limit ends the run. The first to call was alone for a moment; from then on neither client is alone in
    // wanting the lock, no bound runs, and nothing is judged.
    let dead = two([[0, 1], [1, 0]], u32::MAX, "");
    for oracle in [Stuck, Unavailable] {
        assert_eq!(standing(&dead, oracle), Outcome::NotExercised, "{oracle}");
    }
    let watched = story(&dead.records, "watched");
    let ends: Vec<_> =
        watched.iter().filter(|line| line.contains("Stuck") || line.contains("Unavailable")).collect();
    assert_eq!(ends, ["0 client-1 watched Stuck 1 Void", "0 client-1 watched Unavailable 1 Void"]);
    assert_eq!(dead.ending, fencepost::check::Ending::Limit);
}
