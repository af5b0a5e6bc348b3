//! What the answer to a command leads to: the next command of the same voter's share, or its vote.
//!
//! Must not know the words of a command (`commands`) or what a round leads to.

use crate::lock::policy::{Counting, Extension, Fence, OnError, Policy, QuorumOf, Release, Repair, Taking};
use crate::lock::{Ttl, UnknownReason};
use crate::resp::Reply;

use super::ballot::{Answer, Vote};
use super::commands::{connected, is_error, number};
use super::errand::{Errand, Step, Task};
use super::terms::Terms;
use crate::name::Nonce;

impl Errand {
    /// The step that follows this answer, if the voter's share goes on.
    pub(super) fn follow_up(self, terms: &Terms, step: Step, answer: &Answer) -> Option<Step> {
        let Answer::Reply(reply) = answer else { return None };
        let policy = terms.policy();
        match self.task {
            Task::Take { ttl: Ttl::Of(_), .. } => match policy.taking {
                Taking::SetnxExpire => after_setnx(policy, step, reply),
                Taking::SetNxPx | Taking::SetNxPxat | Taking::Reobtain => None,
            },
            Task::CleanUp | Task::GiveBack => self.on_way_to_delete(policy, step, reply),
            Task::Take { ttl: Ttl::Never, .. }
            | Task::Prolong { .. }
            | Task::Role
            | Task::Wait { .. }
            | Task::Look => None,
        }
    }

    fn on_way_to_delete(self, policy: &Policy, step: Step, reply: &Reply) -> Option<Step> {
        let mine = self.finds_own(reply);
        match (policy.release, step) {
            (Release::CompareAndDelete | Release::PlainDel | Release::DelexIfeq, _) => None,
            (Release::GetThenDel, Step::First) => (mine == Some(true)).then_some(Step::Delete),
            (Release::WatchGetDel | Release::WatchMultiExec, Step::First) => {
                (*reply == Reply::OK).then_some(Step::Compare)
            }
            (Release::WatchGetDel, Step::Compare) => (mine == Some(true)).then_some(Step::Delete),
            (Release::WatchMultiExec, Step::Compare) => {
                mine.map(|mine| if mine { Step::Multi } else { Step::Unwatch })
            }
            (Release::WatchMultiExec, Step::Multi) => (*reply == Reply::OK).then_some(Step::Delete),
            // Whatever became of the command inside, EXEC tells.
            (Release::WatchMultiExec, Step::Delete) => Some(Step::Execute),
            (
                Release::GetThenDel | Release::WatchGetDel | Release::WatchMultiExec,
                Step::Life
                | Step::AskLife
                | Step::Repair
                | Step::Compare
                | Step::Multi
                | Step::Delete
                | Step::Execute
                | Step::Unwatch,
            ) => None,
        }
    }

    /// Whether a GET found the own nonce; `None` for what GET does not answer.
    fn finds_own(self, reply: &Reply) -> Option<bool> {
        if let Reply::Bulk(value) = reply {
            Some(Nonce::from_bytes(value) == Some(self.nonce))
        } else {
            (*reply == Reply::Null).then_some(false)
        }
    }

    /// How the last answer of a share counts. A reply outside the contract of the command says nothing about the key,
    /// and neither does an error reply to anything but an acquiring command.
    pub(super) fn vote(self, terms: &Terms, step: Step, answer: &Answer) -> Vote {
        let policy = terms.policy();
        let reply = match (self.task, step, answer) {
            (Task::CleanUp, _, _) => return Vote::Settled,
            // It was refused before it asked for more.
            (Task::Take { .. }, Step::AskLife | Step::Repair, _) => return refused_vote(policy),
            (Task::Take { .. }, _, Answer::Unknown(UnknownReason::NotSent))
                if policy.quorum_of == QuorumOf::Connected =>
            {
                return Vote::Unreached;
            }
            (_, Step::Unwatch, _) => return Vote::Against,
            (_, _, Answer::Unknown(_)) => return Vote::Unknown,
            (_, _, Answer::Reply(reply)) => reply,
        };
        match self.task {
            // The key is there, whatever became of its life.
            Task::Take { .. } if step == Step::Life => match is_error(reply) {
                true => Vote::Unknown,
                false => Vote::For,
            },
            Task::Take { .. } => taking_vote(policy, reply),
            Task::Prolong { .. } => match policy.extension {
                Extension::SetXx | Extension::SetIfeq => match (*reply == Reply::OK, *reply == Reply::Null) {
                    (true, _) => Vote::For,
                    (_, true) => Vote::Against,
                    (false, false) => Vote::Unknown,
                },
                Extension::None
                | Extension::Compare
                | Extension::Pexpireat
                | Extension::Add
                | Extension::Recreate
                | Extension::Blind => one_or_none(reply),
            },
            Task::CleanUp | Task::GiveBack => self.deleting_vote(policy, step, reply),
            Task::Role => match connected(reply) {
                Some(_) => Vote::For,
                None => Vote::Unknown,
            },
            // Too few have it so far, which says nothing of later.
            Task::Wait { replicas } => match number(reply) {
                Some(have) if have >= i64::from(replicas) => Vote::For,
                Some(_) | None => Vote::Unknown,
            },
            Task::Look => found_vote(self.finds_own(reply)),
        }
    }

    /// How the last answer of a share counts that was to remove the key.
    fn deleting_vote(self, policy: &Policy, step: Step, reply: &Reply) -> Vote {
        match (step, policy.release) {
            (Step::First, Release::CompareAndDelete | Release::PlainDel | Release::DelexIfeq)
            | (Step::Delete, _) => one_or_none(reply),
            // Nothing was removed, because something else was found.
            (Step::First, Release::GetThenDel) | (Step::Compare, _) => found_vote(self.finds_own(reply)),
            (Step::Execute, _) => {
                if let Reply::Array(replies) = reply {
                    replies.first().map_or(Vote::Unknown, one_or_none)
                } else if matches!(reply, Reply::Null | Reply::NullArray) {
                    // A key that changed under its watch is no longer ours.
                    Vote::Against
                } else {
                    Vote::Unknown
                }
            }
            (Step::First, Release::WatchGetDel | Release::WatchMultiExec)
            | (Step::Life | Step::AskLife | Step::Repair | Step::Multi | Step::Unwatch, _) => Vote::Unknown,
        }
    }
}

/// The next step of a share that took a key by SETNX, or tried to.
fn after_setnx(policy: &Policy, step: Step, reply: &Reply) -> Option<Step> {
    let answer = number(reply)?;
    match (step, policy.repair) {
        (Step::First, _) if answer == 1 => Some(Step::Life),
        (Step::First, Repair::Zero | Repair::ZeroAndMissing) if answer == 0 => Some(Step::AskLife),
        (Step::AskLife, Repair::Zero) => (answer == 0).then_some(Step::Repair),
        (Step::AskLife, Repair::ZeroAndMissing) => (answer <= 0).then_some(Step::Repair),
        (
            Step::First
            | Step::Life
            | Step::AskLife
            | Step::Repair
            | Step::Compare
            | Step::Multi
            | Step::Delete
            | Step::Execute
            | Step::Unwatch,
            _,
        ) => None,
    }
}

/// How the answer to an acquiring command counts.
fn taking_vote(policy: &Policy, reply: &Reply) -> Vote {
    let (taken, refused) = match (policy.fence, policy.taking) {
        (Fence::None, Taking::SetNxPx | Taking::SetNxPxat) => (*reply == Reply::OK, *reply == Reply::Null),
        (Fence::None, Taking::SetnxExpire | Taking::Reobtain) => {
            (number(reply) == Some(1), number(reply) == Some(0))
        }
        (Fence::Incr, _) => (number(reply).is_some(), *reply == Reply::Null),
    };
    if taken {
        Vote::For
    } else if refused {
        refused_vote(policy)
    } else if is_error(reply) {
        match policy.on_error {
            OnError::AbortAfterQuorum => Vote::Failed,
            OnError::Count | OnError::Abort | OnError::AbortAny => Vote::Against,
        }
    } else {
        Vote::Unknown
    }
}

fn refused_vote(policy: &Policy) -> Vote {
    match policy.counting {
        Counting::Grants => Vote::Against,
        Counting::Replies => Vote::For,
    }
}

fn one_or_none(reply: &Reply) -> Vote {
    match number(reply) {
        Some(1) => Vote::For,
        Some(0) => Vote::Against,
        Some(_) | None => Vote::Unknown,
    }
}

fn found_vote(own: Option<bool>) -> Vote {
    match own {
        Some(true) => Vote::For,
        Some(false) => Vote::Against,
        None => Vote::Unknown,
    }
}
