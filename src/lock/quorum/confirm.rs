//! Between a won attempt and its grant: have the replicas got the key?
//!
//! `any` sends `WAIT 1`; `all` asks the primary by ROLE how many replicas are connected and waits for so many. A
//! primary that lost its replicas reports none, and then `all` waits for nobody: it protects against a replica that
//! lags, never against a primary that was left alone. WAIT counts what its own connection wrote: repeated on another
//! one it waits for nothing of ours, which a driver that repeats does not notice.
//!
//! Too few acknowledgements, an error and no answer are all *unknown*: the key is written, and a replica that has it
//! may be promoted. The attempt is taken back as any that failed. Must not compute a promise: validity is checked
//! when all of this is over, against the lease that began before SET was sent.
//!
//! **Source** WAIT and ROLE, redis.io command pages, Redis 7.0.

use crate::lock::{Output, RefuseReason, RequestId};
use crate::time::Now;
use std::mem;

use super::ballot::{Answer, Ballot, Heard, Sender};
use super::commands;
use super::machine::Quorum;
use super::state::{Asking, Confirming, Question, State};

impl Quorum {
    /// Begins to ask for the replicas of a won attempt.
    pub(super) fn confirm(&mut self, asking: Asking, fence: Option<i64>, out: &mut Vec<Output>) {
        let question = match commands::replicas_wanted(self.terms.policy().wait.replicas) {
            Some(replicas) => Question::Wait { replicas },
            None => Question::Role,
        };
        self.inquire(asking, fence, question, out);
    }

    pub(super) fn on_confirmed(
        &mut self,
        now: Now,
        request: RequestId,
        answer: &Answer,
        out: &mut Vec<Output>,
    ) {
        let State::Confirming(confirming) = &mut self.state else { return };
        let errand = confirming.errand();
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        match sender.hear(&mut confirming.ballot, errand, request, answer) {
            Heard::Stranger | Heard::Open => return,
            Heard::Complete => {}
        }
        let State::Confirming(done) = mem::replace(&mut self.state, State::Idle) else { return };
        let Confirming { asking, fence, question, ballot } = done;
        if ballot.tally().yes < usize::from(self.terms.policy().quorum) {
            return self.fail(asking, RefuseReason::Unknown, now, out);
        }
        match (question, answer) {
            (Question::Wait { .. }, _) => self.grant(asking, fence, now, out),
            (Question::Role, Answer::Reply(reply)) => match commands::connected(reply) {
                Some(replicas) => self.inquire(asking, fence, Question::Wait { replicas }, out),
                None => self.fail(asking, RefuseReason::Unknown, now, out),
            },
            (Question::Role, Answer::Unknown(_)) => self.fail(asking, RefuseReason::Unknown, now, out),
        }
    }

    fn inquire(&mut self, asking: Asking, fence: Option<i64>, question: Question, out: &mut Vec<Output>) {
        let ballot = Ballot::of_all(self.terms.policy().voters);
        let mut confirming = Confirming { asking, fence, question, ballot };
        let errand = confirming.errand();
        self.ask(&mut confirming.ballot, errand, out);
        self.state = State::Confirming(confirming);
    }
}
