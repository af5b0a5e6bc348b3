//! A watchdog without a hold: what renews on after a release, where the policy leaves it behind.
//!
//! It ends when it finds too few voters that carry what it renews, as its hold's watchdog would have, and when another
//! hold begins: the wakes are that one's then. Nobody is told of anything. Must not touch the state of a call or hold.

use crate::lock::policy::{RenewalOnRelease, RenewalRearm};
use crate::lock::{Output, RequestId, WakeReason};
use crate::name::{Operation, Worker};
use crate::time::Now;

use super::ballot::{Answer, Ballot, Heard, Sender};
use super::machine::Quorum;
use super::state::{Extending, Prolonging, State, Stray};
use super::validity::Expiry;

impl Quorum {
    /// The watchdog of a hold that is released ends, or goes on without it.
    pub(super) fn leave_watchdog(&mut self, out: &mut Vec<Output>) {
        let State::Holding(hold) = &self.state else { return };
        match (self.renewed_life(hold), self.terms.policy().renewal_on_release) {
            (None, _) if !self.terms.watches() => {}
            (None, _) | (Some(_), RenewalOnRelease::Ends) => {
                out.push(Output::Quiet { reason: WakeReason::Renew });
            }
            (Some(ttl), RenewalOnRelease::Survives) => {
                let extending = Extending::Resting;
                let stray = Stray { nonce: hold.nonce, ttl, granted: hold.granted, extending };
                self.stray = Some(Box::new(stray));
            }
        }
    }

    pub(super) fn on_stray_wake(&mut self, now: Now, out: &mut Vec<Output>) {
        let policy = self.terms.policy();
        let Some(stray) = &mut self.stray else { return };
        if policy.renewal_rearm == RenewalRearm::Always {
            let at = now.mono + policy.renewal_period(stray.ttl);
            out.push(Output::Wake { at, reason: WakeReason::Renew });
        }
        match stray.extending {
            Extending::Resting => {}
            // One question at a time; the next wake looks again.
            Extending::Asking(_) => return,
        }
        let ballot = Ballot::of_asked(policy.extension_asks(), policy.voters, stray.granted);
        let (worker, number, lease) =
            (Worker::Watchdog, self.counters.next(Operation::Extend), Expiry::Never);
        let mut prolonging = Prolonging { worker, number, ttl: stray.ttl, lease, ballot };
        let errand = prolonging.errand(stray.nonce, now);
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        sender.ask(&mut prolonging.ballot, errand);
        stray.extending = Extending::Asking(prolonging);
    }

    pub(super) fn on_stray_answer(
        &mut self,
        now: Now,
        request: RequestId,
        answer: &Answer,
        out: &mut Vec<Output>,
    ) {
        let Some(stray) = &mut self.stray else { return };
        let Extending::Asking(prolonging) = &mut stray.extending else { return };
        let errand = prolonging.errand(stray.nonce, now);
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        match sender.hear(&mut prolonging.ballot, errand, request, answer) {
            Heard::Stranger | Heard::Open => return,
            Heard::Complete => {}
        }
        let tally = prolonging.ballot.tally();
        let quorum = errand.quorum(&self.terms, tally);
        let (renewed, gone) = (tally.yes >= quorum, tally.yes + tally.unknown < quorum);
        stray.extending = Extending::Resting;
        let policy = self.terms.policy();
        let (goes_on, wakes) = match policy.renewal_rearm {
            RenewalRearm::Always => (!gone, false),
            RenewalRearm::AfterSuccess => (renewed, renewed),
            RenewalRearm::AfterReply => (renewed || gone, renewed || gone),
        };
        if wakes {
            let at = now.mono + policy.renewal_period(stray.ttl);
            out.push(Output::Wake { at, reason: WakeReason::Renew });
        }
        if !goes_on {
            out.push(Output::Quiet { reason: WakeReason::Renew });
            self.stray = None;
        }
    }
}

impl Stray {
    /// Whether this request is part of what it asks.
    pub(super) fn asks_by(&self, request: RequestId) -> bool {
        match &self.extending {
            Extending::Asking(prolonging) => prolonging.ballot.asked(request).is_some(),
            Extending::Resting => false,
        }
    }
}
