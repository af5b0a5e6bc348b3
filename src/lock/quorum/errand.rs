//! What a round of questions is for, which steps a voter's share in it can take, and under which name each goes.
//!
//! Must not know the words of a command (`commands`) or what an answer leads to (`steps`).

use crate::lock::Label;
use crate::lock::Ttl;
use crate::lock::policy::{Fence, Policy, Release, Taking};
use crate::name::{Nonce, Operation, Worker};
use crate::time::{Span, WallTime};

use super::ballot::Tally;
use super::terms::Terms;

/// What a round is for, and the operation that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errand {
    pub(super) task: Task,
    pub(super) nonce: Nonce,
    pub(super) worker: Worker,
    /// The number of the operation.
    pub(super) number: u32,
}

/// What the voters are asked to do with the key. `wall` is the client's wall clock as the command is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Write it, for an attempt.
    Take { ttl: Ttl, wall: WallTime },
    /// Remove it, after a failed attempt.
    CleanUp,
    /// Prolong its life.
    Prolong { ttl: Span, wall: WallTime },
    /// Remove it, because the holder releases.
    GiveBack,
    /// Say which replicas are connected, for an attempt.
    Role,
    /// Wait until so many replicas have it, for an attempt.
    Wait { replicas: u32 },
    /// Say what it holds, because the holder looks.
    Look,
}

/// Which command of a voter's share in a round is under way. Nearly every share is one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// The first, whatever it is for.
    First,
    /// Gives the key its life, where it was written without one.
    Life,
    /// Asks for the life of a key that is taken.
    AskLife,
    /// Gives it a new one, whoever owns it.
    Repair,
    /// Reads the key before it is removed.
    Compare,
    /// Begins a transaction.
    Multi,
    /// Removes the key.
    Delete,
    /// Ends the transaction.
    Execute,
    /// Gives the transaction up before it began.
    Unwatch,
}

impl Task {
    /// The life that the key shall have, if it is to have one.
    pub(super) fn life(self) -> Option<Span> {
        match self {
            Self::Take { ttl: Ttl::Of(ttl), .. } | Self::Prolong { ttl, .. } => Some(ttl),
            Self::Take { ttl: Ttl::Never, .. }
            | Self::CleanUp
            | Self::GiveBack
            | Self::Role
            | Self::Wait { .. }
            | Self::Look => None,
        }
    }
}

impl Errand {
    /// How long the client waits for the answer to each command.
    pub(super) fn limit(self, terms: &Terms) -> Span {
        let policy = terms.policy();
        match self.task {
            Task::Wait { .. } => policy.wait.request_limit(policy.node_timeout),
            Task::Take { .. }
            | Task::CleanUp
            | Task::Prolong { .. }
            | Task::GiveBack
            | Task::Role
            | Task::Look => policy.node_timeout,
        }
    }

    /// The label of a command that the driver sends for the `repeats + 1`st time.
    pub(super) fn label(self, terms: &Terms, repeats: u8) -> Label {
        let operation = match self.task {
            Task::Take { .. } | Task::CleanUp | Task::Role | Task::Wait { .. } => Operation::Acquire,
            Task::Prolong { .. } => Operation::Extend,
            Task::GiveBack => Operation::Release,
            Task::Look => Operation::Check,
        };
        // Where both the taking and the cleaning command are EVAL, the places that the driver's repetitions of
        // the first may need are left free, so that the name of the second does not depend on them.
        let policy = terms.policy();
        let taken = match self.task {
            Task::CleanUp if takes_by_script(policy) && policy.release == Release::CompareAndDelete => {
                policy.driver_retries.saturating_add(1)
            }
            Task::CleanUp
            | Task::Take { .. }
            | Task::Prolong { .. }
            | Task::GiveBack
            | Task::Role
            | Task::Wait { .. }
            | Task::Look => 0,
        };
        let occurrence = taken.saturating_add(repeats).saturating_add(1);
        Label { worker: self.worker, operation, number: self.number, occurrence }
    }

    /// Whether the round is a vote, which can be decided before everybody is heard.
    pub(super) fn is_voted(self) -> bool {
        match self.task {
            Task::Take { .. } | Task::Prolong { .. } | Task::GiveBack => true,
            Task::CleanUp | Task::Role | Task::Wait { .. } | Task::Look => false,
        }
    }

    /// How many votes the round needs, as far as it has come.
    pub(super) fn quorum(self, terms: &Terms, tally: Tally) -> usize {
        match self.task {
            Task::Take { .. } => terms.policy().quorum_without(tally.unreached),
            Task::Prolong { .. } => terms.policy().extension_quorum(tally.members),
            Task::CleanUp | Task::GiveBack | Task::Role | Task::Wait { .. } | Task::Look => {
                usize::from(terms.policy().quorum)
            }
        }
    }
}

/// Whether the command that takes a key is EVAL.
fn takes_by_script(policy: &Policy) -> bool {
    let reobtains = match policy.taking {
        Taking::Reobtain => true,
        Taking::SetNxPx | Taking::SetNxPxat | Taking::SetnxExpire => false,
    };
    reobtains || policy.fence == Fence::Incr
}
