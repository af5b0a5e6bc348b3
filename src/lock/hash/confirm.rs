//! Between a counted hold and its grant: have the replicas got it?
//!
//! The node is asked by ROLE how many replicas are connected. With none there is nothing to wait for; with some, all are
//! waited for up to the limit, and then `any` is content with one acknowledgement and `all` with no less than each. Too few
//! give the hold back and end the call. Must not grant what was not confirmed.
//!
//! **Source** Redisson `checkLockSyncedSlaves`: an error only where replicas are connected and none acknowledged; WAIT
//! and ROLE, redis.io command pages.

use super::commands;
use super::machine::{Answer, HashLock};
use super::state::{Attempt, Call, Confirming, Question, Undoing};
use crate::lock::policy::WaitFor;
use crate::lock::quorum::connected;
use crate::lock::{Output, RefuseReason};
use crate::name::{Operation, Worker};
use crate::time::Now;

impl HashLock {
    /// Begins to ask for the replicas of a counted hold.
    pub(super) fn confirm(&mut self, attempt: Attempt, fence: Option<i64>, out: &mut Vec<Output>) {
        self.inquire(attempt, fence, Question::Role, out);
    }

    pub(super) fn on_confirmed(
        &mut self,
        now: Now,
        confirming: Confirming,
        answer: Answer<'_>,
        out: &mut Vec<Output>,
    ) {
        let Confirming { attempt, fence, question, .. } = confirming;
        let Answer::Reply(reply) = answer else { return self.undo(attempt, out) };
        match question {
            Question::Role => match (connected(reply), self.policy().wait.replicas) {
                (None, _) => self.undo(attempt, out),
                (Some(0), _) | (Some(_), WaitFor::None) => self.grant(now, attempt, fence, out),
                (Some(replicas), WaitFor::Any | WaitFor::All) => {
                    self.inquire(attempt, fence, Question::Wait { replicas }, out);
                }
            },
            Question::Wait { replicas } => {
                let enough = match self.policy().wait.replicas {
                    WaitFor::All => i64::from(replicas),
                    WaitFor::Any | WaitFor::None => 1,
                };
                match commands::number(reply) {
                    Some(have) if have >= enough => self.grant(now, attempt, fence, out),
                    Some(_) | None => self.undo(attempt, out),
                }
            }
        }
    }

    /// The hold was given back, or nobody knows: the caller is told either way.
    pub(super) fn on_undone(&mut self, undoing: Undoing, out: &mut Vec<Output>) {
        self.call = Call::None;
        out.push(Output::Refused { caller: undoing.caller, why: undoing.why });
    }

    fn inquire(&mut self, attempt: Attempt, fence: Option<i64>, question: Question, out: &mut Vec<Output>) {
        let policy = self.policy();
        let (command, limit) = match question {
            Question::Role => (commands::role(), policy.node_timeout),
            Question::Wait { replicas } => {
                (commands::wait(&self.terms, replicas), policy.wait.request_limit(policy.node_timeout))
            }
        };
        let label = (Worker::User, Operation::Acquire, attempt.number, 1);
        let request = self.send(command, limit, label, out);
        self.call = Call::Confirming(Confirming { attempt, fence, request, question });
    }

    fn undo(&mut self, attempt: Attempt, out: &mut Vec<Output>) {
        self.unsubscribe(attempt, out);
        let owner = self.owner.expect("a call has an owner");
        let release = self.counters.next(Operation::Release);
        let command = commands::release(&self.terms, owner, release, self.life());
        let Attempt { caller, number, .. } = attempt;
        // Both are EVAL: the places of the acquiring script's repetitions are left free.
        let occurrence = self.policy().resend.acquires.saturating_add(2);
        let limit = self.policy().node_timeout;
        let request = self.send(command, limit, (Worker::User, Operation::Acquire, number, occurrence), out);
        let why = RefuseReason::Unknown;
        self.call = Call::Undoing(Undoing { caller, number, request, why });
    }
}
