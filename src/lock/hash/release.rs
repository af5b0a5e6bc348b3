//! Giving one hold back.
//!
//! The caller's count falls with every call that was answered or given up, whatever the node did: so it is with code
//! that unlocks in its `finally`. Must not touch a call of acquire in progress: that is cancelled, not released.

use super::commands::{self, GivenBack};
use super::machine::{Answer, HashLock};
use super::state::{Call, Releasing};
use crate::lock::{Caller, Output, Released, WakeReason};
use crate::name::{Operation, Worker};
use crate::time::Now;

impl HashLock {
    pub(super) fn on_release(&mut self, caller: Caller, out: &mut Vec<Output>) {
        let holds = self.hold.is_some_and(|hold| hold.caller == caller);
        match self.call {
            Call::None if holds => self.begin_release(caller, out),
            Call::Looking { caller: holder, .. } if holds && holder == caller => {
                let found = crate::lock::Found::Unknown;
                out.push(Output::Checked { caller, found });
                self.begin_release(caller, out);
            }
            // Nothing of this caller is there to give back, or another call of its is open.
            Call::None
            | Call::Asking(_)
            | Call::Confirming(_)
            | Call::Undoing(_)
            | Call::Waiting(_)
            | Call::Releasing(_)
            | Call::Looking { .. } => out.push(Output::Released { caller, how: Released::NotOwned }),
        }
    }

    /// Sends a release again that went unanswered.
    pub(super) fn release_again(&mut self, releasing: Releasing, out: &mut Vec<Output>) {
        let Releasing { number, repeats, .. } = releasing;
        let owner = self.owner.expect("whoever held has an owner");
        let command = commands::release(&self.terms, owner, number, self.life());
        let limit = self.policy().node_timeout;
        let occurrence = repeats.saturating_add(1);
        let request = self.send(command, limit, (Worker::User, Operation::Release, number, occurrence), out);
        self.call = Call::Releasing(Releasing { request: Some(request), ..releasing });
    }

    pub(super) fn on_given_back(
        &mut self,
        now: Now,
        releasing: Releasing,
        answer: Answer<'_>,
        out: &mut Vec<Output>,
    ) {
        let resend = self.policy().resend;
        let how = match answer {
            Answer::Unknown if releasing.repeats < resend.releases => {
                out.push(Output::Wake { at: now.mono + resend.delay, reason: WakeReason::Retry });
                let repeats = releasing.repeats + 1;
                self.call = Call::Releasing(Releasing { request: None, repeats, ..releasing });
                return;
            }
            Answer::Unknown => Released::Unknown,
            Answer::Reply(reply) => match commands::given_back(reply) {
                GivenBack::Yes => Released::Confirmed,
                GivenBack::NotOwned => Released::NotOwned,
                GivenBack::Strange => Released::Unknown,
            },
        };
        self.call = Call::None;
        self.forget_one(out);
        out.push(Output::Released { caller: releasing.caller, how });
    }

    fn begin_release(&mut self, caller: Caller, out: &mut Vec<Output>) {
        let number = self.counters.next(Operation::Release);
        self.release_again(Releasing { caller, number, request: None, repeats: 0 }, out);
    }

    /// The handle counts one hold less, and its watchdog one that asked for it.
    fn forget_one(&mut self, out: &mut Vec<Output>) {
        let Some(hold) = &mut self.hold else { return };
        hold.depth -= 1;
        hold.watched = hold.watched.saturating_sub(1).min(hold.depth);
        let (over, unwatched) = (hold.depth == 0, hold.watched == 0);
        if over {
            self.hold = None;
        }
        if unwatched {
            self.stop_watchdog(out);
        }
    }
}
