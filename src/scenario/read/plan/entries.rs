//! All entries of a plan, in their order.

use super::super::super::error::{InputErrorKind, Wrong};
use super::super::super::shape::{
    ByKeys, EndKeys, ErrorReplyKeys, EvictKeys, Interval, PauseKeys, PlanEntry, WorkerWord,
};
use super::super::Scope;
use super::super::names::Named;
use super::targets::misplaced;
use crate::name::{Process, Worker};
use crate::plan::{Death, Fault, PauseKind, PauseScope, Plan, PlannedFault};
use bytes::Bytes;
use toml::Spanned;

impl Scope {
    /// The whole plan.
    pub(in crate::scenario::read) fn plan(self, entries: &[PlanEntry]) -> Result<Plan, Wrong> {
        let mut plan = Plan::empty();
        for entry in entries {
            self.entry(entry, &mut plan)?;
        }
        Ok(plan)
    }

    fn entry(self, entry: &PlanEntry, plan: &mut Plan) -> Result<(), Wrong> {
        let death = |how: &'static str, death| {
            move |scope: Self, keys: &EndKeys| {
                scope.of_nodes(&keys.of, how, |node| Fault::Kill { node, death })
            }
        };
        match entry {
            PlanEntry::Cancel(keys) => self.add(keys, plan, |scope, keys| {
                scope.of_clients(&keys.of, "cancel", |client| Fault::Cancel { client })
            }),
            PlanEntry::ClockFreeze(keys) => self.add(keys, plan, Self::freezes),
            PlanEntry::ClockRate(keys) => self.add(keys, plan, Self::rates),
            PlanEntry::ClockStep(keys) => self.add(keys, plan, Self::steps),
            PlanEntry::Crash(keys) => self.add(keys, plan, |scope, keys| {
                scope.of_clients(&keys.of, "crash", |client| Fault::Crash { client })
            }),
            PlanEntry::Cut(keys) => self.add(keys, plan, Self::cuts),
            PlanEntry::Defer(keys) => self.defer(keys, plan),
            PlanEntry::Demote(keys) => self.add(keys, plan, Self::demotions),
            PlanEntry::ErrorReply(keys) => self.add(keys, plan, Self::error_replies),
            PlanEntry::Evict(keys) => self.add(keys, plan, Self::evictions),
            PlanEntry::FlushScripts(keys) => self.add(keys, plan, |scope, keys| {
                scope.of_nodes(&keys.of, "flush-scripts", |node| Fault::FlushScripts { node })
            }),
            PlanEntry::Kill(keys) => self.add(keys, plan, death("kill", Death::Process)),
            PlanEntry::Lag(keys) => self.add(keys, plan, Self::lags),
            PlanEntry::LateTimer(keys) => self.add(keys, plan, Self::late_timers),
            PlanEntry::Message(keys) => self.message_directive(keys, plan),
            PlanEntry::Order(keys) => self.order_directive(keys, plan),
            PlanEntry::Pause(keys) => self.add(keys, plan, Self::pauses),
            PlanEntry::PowerLoss(keys) => self.add(keys, plan, death("power-loss", Death::Power)),
            PlanEntry::Promote(keys) => self.add(keys, plan, Self::promotion),
            PlanEntry::Shutdown(keys) => self.add(keys, plan, death("shutdown", Death::Shutdown)),
            PlanEntry::Slow(keys) => self.add(keys, plan, Self::slow_nodes),
        }
    }

    /// Adds the faults of one entry, with their common interval.
    fn add<K: Interval>(
        self,
        keys: &Spanned<K>,
        plan: &mut Plan,
        faults: impl FnOnce(Self, &K) -> Result<Vec<Fault>, Wrong>,
    ) -> Result<(), Wrong> {
        let faults = faults(self, keys.get_ref())?;
        let when = self.when(keys.get_ref().when(), keys.span())?;
        let lasts = self.lasts(keys.get_ref().lasts())?;
        plan.faults.extend(faults.into_iter().map(|fault| PlannedFault { when, lasts, fault }));
        Ok(())
    }

    fn error_replies(self, keys: &ErrorReplyKeys) -> Result<Vec<Fault>, Wrong> {
        let text = error_text(&keys.text)?;
        self.of_nodes(&keys.of, "error-reply", |node| Fault::ErrorReply { node, text: text.clone() })
    }

    fn evictions(self, keys: &EvictKeys) -> Result<Vec<Fault>, Wrong> {
        let key = keys.key.as_ref().map(|key| Bytes::copy_from_slice(key.get_ref().as_bytes()));
        self.of_nodes(&keys.of, "evict", |node| Fault::Evict { node, key: key.clone() })
    }

    fn late_timers(self, keys: &ByKeys) -> Result<Vec<Fault>, Wrong> {
        let by = self.by(keys)?;
        self.of_clocks(&keys.of, "late-timer", |process| Fault::LateTimer { process, by })
    }

    fn slow_nodes(self, keys: &ByKeys) -> Result<Vec<Fault>, Wrong> {
        let by = self.by(keys)?;
        self.of_nodes(&keys.of, "slow", |node| Fault::Slow { node, by })
    }

    fn pauses(self, keys: &PauseKeys) -> Result<Vec<Fault>, Wrong> {
        let kind = *keys.kind.get_ref();
        let mut faults = Vec::new();
        for Named { process, span } in self.processes(&keys.of)? {
            let scope = match (process, &keys.worker) {
                (Process::Client(client), Some(worker)) => {
                    if kind == PauseKind::Suspend {
                        let message =
                            "a machine is suspended as a whole; a worker is paused with kind = \"stop\"";
                        return Err(Wrong::contradiction(keys.kind.span(), message).meant("kind = \"stop\""));
                    }
                    PauseScope::Worker(
                        client,
                        match worker.get_ref() {
                            WorkerWord::User => Worker::User,
                            WorkerWord::Watchdog => Worker::Watchdog,
                        },
                    )
                }
                (Process::Node(_) | Process::Store, Some(worker)) => {
                    let message = format!("only clients have workers; {process} is paused as a whole");
                    return Err(Wrong::contradiction(worker.span(), message));
                }
                (Process::Store, None) => {
                    return Err(misplaced(process, &span, "pause", "clients and nodes", None));
                }
                (Process::Client(_) | Process::Node(_), None) => PauseScope::Process(process),
            };
            faults.push(Fault::Pause { scope, kind });
        }
        Ok(faults)
    }
}

pub(in crate::scenario::read) fn error_text(text: &Spanned<String>) -> Result<Bytes, Wrong> {
    let written = text.get_ref();
    if written.is_empty() || written.contains(['\r', '\n']) || written.starts_with('-') {
        let message = "an error reply is one line without the leading minus, such as \"BUSY Redis is busy\"";
        return Err(Wrong::new(InputErrorKind::Value, text.span(), message));
    }
    Ok(Bytes::copy_from_slice(written.as_bytes()))
}
