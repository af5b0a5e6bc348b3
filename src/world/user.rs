//! The user's code: what a client does with the lock. One machine, data in its states.
//!
//! What a section read is the store's answer at its entry: the stock, or how often its item was done. Must not send
//! anything: `client.rs` turns its decisions into inputs of the core and requests to the store.
//! Times are the client's own monotonic clock.

use super::ledger::{canonical_until, is_ahead};
use super::nested::{Inner, Second};
use super::setup::{Extend, Holder, Task, Workload};
use crate::canon::Canon;
use crate::lock::Until;
use crate::name::{CallId, ClientId, GrantId, Nonce};
use crate::time::{MonoTime, Now, Span};

/// Where the user's code is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum User {
    /// Waits to start a cycle.
    Resting { at: MonoTime },
    /// Has called acquire.
    Calling { call: CallId, patience_end: MonoTime },
    /// Was refused and will call again.
    Again { call: CallId, at: MonoTime, patience_end: MonoTime },
    /// Was granted a promise that is over by its own clock, and will give it back unused.
    Declining { grant: GrantId },
    /// Is inside the section.
    Inside(Section),
    /// Has left the section and called release of its second hold; the outer one, of this grant, is next.
    Unwinding { outer: GrantId, second: Box<Second> },
    /// Has called release.
    Releasing { grant: GrantId },
    /// Has nothing more to do, or is dead for good.
    Done,
}

/// A stay in the section.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Section {
    pub(crate) grant: GrantId,
    pub(crate) nonce: Nonce,
    pub(crate) fence: Option<i64>,
    pub(crate) until: Until,
    /// When the work began.
    pub(crate) since: MonoTime,
    pub(crate) writes: u32,
    pub(crate) extends: u32,
    /// When it last wrote, for code that writes again so long afterwards.
    pub(crate) wrote: Option<MonoTime>,
    /// When it last called extend, for code that extends again so long afterwards.
    pub(crate) extended: Option<MonoTime>,
    pub(crate) step: Step,
    /// How far a second hold has come.
    pub(crate) inner: Inner,
    /// Told that the hold is gone or may be, or refused by the store.
    pub(crate) warned: bool,
}

/// What the code inside the section is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// Will ask whether it still holds before it begins.
    Arrived,
    /// Waits to be told whether it still holds, before it begins.
    Doubting,
    /// Waits for the store to take its claim.
    Claiming,
    /// Waits for the store's stock, or for how often its item was done.
    Reading,
    /// Works until the next thing is due.
    Working { read: Option<i64> },
    /// Waits to be told whether it still holds, before it writes.
    Asking { read: Option<i64> },
    /// Has looked, or chosen not to, and will write.
    Checked { read: Option<i64> },
    /// Waits for the store's answer to a write.
    Writing,
    /// Waits for the answer to its call of extend.
    Extending { read: Option<i64> },
    /// Waits for the answer to its second call of acquire, or to the release of that hold.
    Nesting { read: Option<i64> },
}

/// What the code inside the section does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Deed {
    /// Asks whether it still holds, before it begins.
    Ask,
    /// Leaves because of a loss it was told of.
    LeaveWarned,
    /// Leaves because its promise has ended.
    LeaveExpired,
    /// Leaves because its work is done.
    Finish,
    /// Decides to write.
    Check,
    /// Writes.
    Write,
    /// Calls extend.
    Extend,
    /// Calls acquire a second time.
    Reenter,
    /// Gives the second hold back.
    GiveBack,
}

/// When something is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// As soon as the worker runs.
    AtOnce,
    /// At a timer.
    At(MonoTime),
}

impl Section {
    /// When the code next does something by itself, and what; `None` while it waits for an answer.
    pub(crate) fn next(&self, workload: &Workload, work: Span, now: Now) -> Option<(Moment, Deed)> {
        if self.warned && (workload.holder != Holder::Never || workload.task.steps_down()) {
            return Some((Moment::AtOnce, Deed::LeaveWarned));
        }
        let step = match self.step {
            Step::Arrived => Some((Moment::AtOnce, Deed::Ask)),
            Step::Checked { .. } => Some((Moment::AtOnce, Deed::Write)),
            Step::Doubting
            | Step::Claiming
            | Step::Reading
            | Step::Asking { .. }
            | Step::Writing
            | Step::Extending { .. }
            | Step::Nesting { .. } => None,
            Step::Working { read } => {
                let (at, deed) = self.next_work(workload, work, read);
                Some((Moment::At(at), deed))
            }
        };
        let leaves = (workload.holder == Holder::Leaves).then(|| self.promised_end(now)).flatten();
        match (step, leaves) {
            // Whoever wakes after the end leaves, whatever else is overdue: of two past moments a state does not
            // keep which was first.
            (_, Some(end)) if end <= now.mono => Some((Moment::At(end), Deed::LeaveExpired)),
            (Some((Moment::AtOnce, _)), _) => step,
            (Some((Moment::At(at), _)), Some(end)) if at < end => step,
            (_, Some(end)) => Some((Moment::At(end), Deed::LeaveExpired)),
            (step, None) => step,
        }
    }

    /// Whether the promise is over by the holder's own clock.
    pub(crate) fn is_over(&self, now: Now) -> bool {
        !is_ahead(self.until, now)
    }

    fn next_work(&self, workload: &Workload, work: Span, read: Option<i64>) -> (MonoTime, Deed) {
        // What was done already leaves nothing to work for.
        let idle = workload.task.runs_items() && read.is_some_and(|times| times > 0);
        let end = if idle { self.since } else { self.since + work };
        let write = match workload.task {
            Task::Hold { writes } if self.writes < writes => {
                let share = work.0 * i64::from(self.writes + 1) / i64::from(writes);
                Some(self.since + Span(share))
            }
            Task::Stock if self.writes == 0 && read.is_some_and(|stock| stock > 0) => Some(end),
            Task::Cron { .. } | Task::Submit if self.writes == 0 && read == Some(0) => Some(end),
            Task::Leader { write_every } => Some(self.wrote.unwrap_or(self.since) + write_every),
            Task::Hold { .. } | Task::Stock | Task::Cron { .. } | Task::Submit => None,
        };
        let extend = match &workload.extend {
            Extend::At(times) => times.get(self.extends as usize).map(|after| self.since + *after),
            Extend::Every(period) => {
                Some(self.extended.unwrap_or(self.since) + *period).filter(|at| *at < end)
            }
        };
        let write = write.map(|at| (at, Deed::Check));
        let extend = extend.map(|at| (at, Deed::Extend));
        let nested = workload.nested.and_then(|nested| match &self.inner {
            Inner::Ahead => Some((self.since + nested.at, Deed::Reenter)),
            Inner::Holding(second) => nested.length.map(|length| (second.since + length, Deed::GiveBack)),
            Inner::Calling(_) | Inner::Releasing(_) | Inner::Over => None,
        });
        let last = if let Inner::Holding(_) = self.inner { Deed::GiveBack } else { Deed::Finish };
        let mut next = (end, last);
        for other in [write, extend, nested].into_iter().flatten() {
            // What is due with the end comes before it.
            if other.0 <= next.0 {
                next = other;
            }
        }
        next
    }

    /// The promised end as a timer: on the monotonic clock, the only clock that timers have.
    fn promised_end(&self, now: Now) -> Option<MonoTime> {
        match self.until {
            Until::Mono(end) => Some(end),
            Until::Wall(end) => Some(now.mono + (end - now.wall)),
            Until::Released | Until::Lost | Until::Untold => None,
        }
    }
}

impl User {
    /// Whether it neither wants nor holds the lock.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self, Self::Resting { .. } | Self::Done)
    }

    /// The grant that the user's code holds, or gives back.
    pub(crate) fn grant(&self) -> Option<GrantId> {
        match self {
            Self::Inside(section) => Some(section.grant),
            Self::Declining { grant } | Self::Unwinding { outer: grant, .. } | Self::Releasing { grant } => {
                Some(*grant)
            }
            Self::Resting { .. } | Self::Calling { .. } | Self::Again { .. } | Self::Done => None,
        }
    }

    /// The grant of its second hold, while nobody has called release.
    pub(crate) fn held_second(&self) -> Option<GrantId> {
        if let Self::Inside(section) = self { section.inner.held() } else { None }
    }

    /// The grant of its second hold, until that was given back.
    pub(crate) fn second(&self) -> Option<GrantId> {
        match self {
            Self::Inside(section) => section.inner.grant(),
            Self::Unwinding { second, .. } => Some(second.grant),
            Self::Resting { .. }
            | Self::Calling { .. }
            | Self::Again { .. }
            | Self::Declining { .. }
            | Self::Releasing { .. }
            | Self::Done => None,
        }
    }

    /// The call by which it wants the lock, if it does.
    pub(crate) fn willing(&self) -> Option<CallId> {
        match self {
            Self::Calling { call, .. } | Self::Again { call, .. } => Some(*call),
            Self::Resting { .. }
            | Self::Declining { .. }
            | Self::Inside(_)
            | Self::Unwinding { .. }
            | Self::Releasing { .. }
            | Self::Done => None,
        }
    }

    pub(crate) fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        match self {
            Self::Resting { at } => canon.mono_deadline(at),
            Self::Calling { call, patience_end } => {
                canon.call(call);
                canon.mono_deadline(patience_end);
            }
            Self::Again { call, at, patience_end } => {
                canon.call(call);
                canon.mono_deadline(at);
                canon.mono_deadline(patience_end);
            }
            Self::Inside(section) => {
                canon.grant(&mut section.grant);
                canon.nonce(&mut section.nonce);
                canonical_until(&mut section.until, canon);
                canon.mono_moment(&mut section.since);
                for moment in [&mut section.wrote, &mut section.extended].into_iter().flatten() {
                    canon.mono_moment(moment);
                }
                section.inner.canonical(client, canon);
            }
            Self::Unwinding { outer, second } => {
                canon.grant(outer);
                second.canonical(canon);
            }
            Self::Declining { grant } | Self::Releasing { grant } => canon.grant(grant),
            Self::Done => {}
        }
    }
}
