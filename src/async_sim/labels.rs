//! What a command is for, as far as can be told from outside: which operation, which attempt, whose call.
//!
//! The world needs to know, so that messages have names that plans can use, and so that a value in a node is known by
//! the call that wrote it. Code that nobody wrote for this says neither, so it is told from where its caller is: whatever
//! is sent while a call of acquire is open, or after it was refused, belongs to it; inside the section it prolongs; from
//! the release on it gives back. A command that an attempt has already sent to a voter begins the next attempt, unless
//! the node did not know its script. A command that carries a word first seen in an earlier call is that call's: the
//! word is its nonce; unless the same kind of command carries it in a later call, which takes the lock by it again. Must not
//! look at replies beyond that.
//!
//! Names and owners rest on it, and with owners what *foreign-change*, *leak* and *orphan* see. Where nonces are shorter than 8
//! bytes, or the same in every call, a command that comes late counts for the present call; and an attempt that sends more
//! than 255 equal commands to one voter gives the rest one name.

use crate::lock::Label;
use crate::name::{CommandName, Operation, VoterId, Worker};
use crate::resp::Command;
use bytes::Bytes;

/// Where the caller is, and what was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Labels {
    phase: Phase,
    /// Calls, attempts and releases so far, over the incarnation.
    calls: u32,
    attempts: u32,
    releases: u32,
    /// Whether an attempt of the present call has begun.
    attempts_now: bool,
    /// What the present attempt, or release, has sent: to whom, what, by which script, how often.
    sent: Vec<(VoterId, CommandName, Bytes, u8)>,
    /// Voters that did not know the script that they were sent last.
    ignorant: Vec<VoterId>,
    /// How many commands of these kinds each voter was sent.
    extensions: Vec<(VoterId, u32)>,
    asides: Vec<(VoterId, u32)>,
    /// Words that may be nonces, the call that each belongs to, and what carried it first.
    words: Vec<(Bytes, u32, (CommandName, Bytes))>,
}

/// Where the caller is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It has not called yet.
    Before,
    /// It calls, or was refused.
    Acquiring,
    /// It holds.
    Holding,
    /// It has called release.
    Releasing,
}

/// A shorter word is a number or an option, not a nonce.
const NONCE_LEN_MIN: usize = 8;

impl Labels {
    pub(super) const fn new() -> Self {
        Self {
            phase: Phase::Before,
            calls: 0,
            attempts: 0,
            releases: 0,
            attempts_now: false,
            sent: Vec::new(),
            ignorant: Vec::new(),
            extensions: Vec::new(),
            asides: Vec::new(),
            words: Vec::new(),
        }
    }

    /// How many calls there were.
    pub(super) fn calls(&self) -> u32 {
        self.calls
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// A call of acquire begins.
    pub(super) fn call(&mut self) {
        self.calls += 1;
        self.phase = Phase::Acquiring;
        self.attempts_now = false;
    }

    /// The number of the next attempt.
    pub(super) fn next_attempt(&self) -> u32 {
        self.attempts + 1
    }

    /// An attempt with this number begins.
    pub(super) fn attempt(&mut self, number: u32) {
        self.attempts = number;
        self.attempts_now = true;
        self.sent.clear();
    }

    /// The call was granted.
    pub(super) fn hold(&mut self) {
        self.phase = Phase::Holding;
    }

    /// The caller calls release.
    pub(super) fn release(&mut self) {
        self.phase = Phase::Releasing;
        self.releases += 1;
        self.sent.clear();
    }

    /// A voter did not know the script that it was sent.
    pub(super) fn no_script(&mut self, voter: VoterId) {
        self.ignorant.push(voter);
    }

    /// What this command is for, how many calls ago the one was that it belongs to, and the attempt that begins with
    /// it, if one does.
    pub(super) fn of(&mut self, voter: VoterId, command: &Command) -> (Label, u32, Option<u32>) {
        let back = self.calls - self.owner(command);
        let (operation, number, occurrence, attempt) = match self.phase {
            Phase::Before => (Operation::Aside, count(&mut self.asides, voter), 1, None),
            Phase::Holding => (Operation::Extend, count(&mut self.extensions, voter), 1, None),
            Phase::Releasing => (Operation::Release, self.releases, self.occurrence(voter, command), None),
            Phase::Acquiring => {
                let begins = !self.attempts_now || self.begins_attempt(voter, command);
                let attempt = begins.then(|| self.next_attempt());
                attempt.into_iter().for_each(|number| self.attempt(number));
                (Operation::Acquire, self.attempts, self.occurrence(voter, command), attempt)
            }
        };
        (Label { worker: Worker::User, operation, number, occurrence }, back, attempt)
    }

    /// Whether the present attempt has sent the same to this voter, which knew what it was.
    fn begins_attempt(&mut self, voter: VoterId, command: &Command) -> bool {
        let (name, script) = kind(command);
        match name {
            CommandName::Set | CommandName::Setnx | CommandName::Eval | CommandName::Evalsha => {}
            CommandName::Del
            | CommandName::Delex
            | CommandName::Exec
            | CommandName::Expire
            | CommandName::Get
            | CommandName::Multi
            | CommandName::Pexpire
            | CommandName::Role
            | CommandName::Ttl
            | CommandName::Unwatch
            | CommandName::Wait
            | CommandName::Watch
            | CommandName::Other => return false,
        }
        let again = self.sent.iter().any(|known| (known.0, known.1, &known.2) == (voter, name, &script));
        let knew = !self.ignorant.contains(&voter);
        if again {
            self.ignorant.retain(|known| *known != voter);
        }
        again && knew
    }

    fn occurrence(&mut self, voter: VoterId, command: &Command) -> u8 {
        let (name, script) = kind(command);
        let own = self.sent.iter().filter(|known| (known.0, known.1) == (voter, name));
        let occurrence = own.map(|known| known.3).max().unwrap_or(0).saturating_add(1);
        self.sent.push((voter, name, script, occurrence));
        occurrence
    }

    /// The call that this command belongs to.
    fn owner(&mut self, command: &Command) -> u32 {
        let kind = kind(command);
        let candidates = command.words().iter().skip(first_argument(command));
        let mut owner = None;
        for word in candidates.filter(|word| word.len() >= NONCE_LEN_MIN) {
            let acquires = self.phase == Phase::Acquiring;
            match self.words.iter_mut().find(|(known, ..)| known == word) {
                Some((_, call, first)) => {
                    if acquires && *first == kind {
                        *call = self.calls;
                    }
                    owner = owner.or(Some(*call));
                }
                None if acquires => self.words.push((word.clone(), self.calls, kind.clone())),
                None => {}
            }
        }
        owner.unwrap_or(self.calls)
    }
}

/// The place of the first word behind the name, the script and the keys, which are the same in every call.
fn first_argument(command: &Command) -> usize {
    let (name, _) = kind(command);
    if !matches!(name, CommandName::Eval | CommandName::Evalsha) {
        return 2;
    }
    let keys = command.args().get(1).and_then(|keys| std::str::from_utf8(keys).ok()?.parse().ok());
    3 + keys.unwrap_or(1_usize)
}

/// A command's name, and the script that it runs.
fn kind(command: &Command) -> (CommandName, Bytes) {
    let name = CommandName::of(command.name());
    let script = command.args().first().filter(|_| matches!(name, CommandName::Eval | CommandName::Evalsha));
    (name, script.cloned().unwrap_or_default())
}

/// Counts one more for this voter.
fn count(counts: &mut Vec<(VoterId, u32)>, voter: VoterId) -> u32 {
    if let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == voter) {
        *count += 1;
        return *count;
    }
    counts.push((voter, 1));
    1
}
