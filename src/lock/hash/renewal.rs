//! The watchdog: renewals of a hold at a third of its life, by a worker of their own.
//!
//! The next renewal is due a period after the last was answered. One that finds the hold gone ends the watchdog; whether
//! the holder hears of it is the policy's choice. Must not release anything.
//!
//! **Source** Redisson's `renewExpiration`.

use super::commands;
use super::machine::{Answer, HashLock};
use super::policy::{AfterError, RenewedLife};
use super::state::Renewing;
use crate::lock::policy::OnLoss;
use crate::lock::quorum::validity;
use crate::lock::{LossReason, Output, Ttl, WakeReason};
use crate::name::{Operation, Worker};
use crate::time::{Now, Span};

impl HashLock {
    /// A hold asked for the watchdog; there is one for all holds of the handle.
    pub(super) fn start_watchdog(&mut self, now: Now, out: &mut Vec<Output>) {
        match self.renewing {
            Renewing::Off => self.rest_watchdog(now, out),
            Renewing::Resting | Renewing::Asking { .. } => {}
        }
    }

    pub(super) fn stop_watchdog(&mut self, out: &mut Vec<Output>) {
        match self.renewing {
            Renewing::Off => {}
            Renewing::Resting | Renewing::Asking { .. } => {
                out.push(Output::Quiet { reason: WakeReason::Renew });
                self.renewing = Renewing::Off;
            }
        }
    }

    pub(super) fn on_renew(&mut self, out: &mut Vec<Output>) {
        match (self.renewing, self.owner, self.renewed_life()) {
            (Renewing::Resting, Some(owner), Some(life)) => {
                let number = self.counters.next(Operation::Extend);
                let (command, limit) =
                    (commands::renew(&self.terms, owner, life), self.policy().node_timeout);
                let label = (Worker::Watchdog, Operation::Extend, number, 1);
                let request = self.send(command, limit, label, out);
                self.renewing = Renewing::Asking { request, number };
            }
            // The watchdog that asked for this wake has ended.
            (Renewing::Off | Renewing::Resting | Renewing::Asking { .. }, _, _) => {}
        }
    }

    pub(super) fn on_renewed(&mut self, now: Now, answer: Answer<'_>, out: &mut Vec<Output>) {
        let renewed = match answer {
            Answer::Reply(reply) => commands::number(reply),
            Answer::Unknown => None,
        };
        match (renewed, self.policy().after_error) {
            (Some(0), _) => self.lose(out),
            (Some(_), _) | (None, AfterError::GoesOn) => self.rest_watchdog(now, out),
            (None, AfterError::Stops) => self.renewing = Renewing::Off,
        }
    }

    fn rest_watchdog(&mut self, now: Now, out: &mut Vec<Output>) {
        let Some(life) = self.renewed_life() else { return };
        out.push(Output::Wake { at: now.mono + validity::renewal_period(life), reason: WakeReason::Renew });
        self.renewing = Renewing::Resting;
    }

    fn renewed_life(&self) -> Option<Span> {
        let life = match self.policy().renewed_life {
            RenewedLife::Ttl => self.policy().ttl,
            RenewedLife::Remembered => self.life(),
        };
        match life {
            Ttl::Of(life) => Some(life),
            Ttl::Never => None,
        }
    }

    /// The hold is gone. Its releases are still sent: what is left of it is the node's to say.
    fn lose(&mut self, out: &mut Vec<Output>) {
        self.renewing = Renewing::Off;
        let Some(hold) = &mut self.hold else { return };
        hold.watched = 0;
        let caller = hold.caller;
        match self.policy().on_loss {
            OnLoss::Tell => out.push(Output::Lost { caller, why: LossReason::Gone }),
            OnLoss::Silent => {}
        }
    }
}
