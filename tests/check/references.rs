//! Naive references: each oracle straight from its row in `scenarios/README.md`, by scans over the whole history.
//!
//! Quadratic and without state, so that nothing is shared with the folded monitors. Where the table speaks of
//! what is so at a moment (a promise runs, a key is there, a grant exists) the reference works it out from the
//! records before, and does not take the derived answer that the monitor reads.

#![expect(clippy::wildcard_enum_match_arm, reason = "a scan looks for one fact among all")]

use fencepost::check::OracleName;
use fencepost::history::{Access, Fact, HoldEffect, Record, WatchEnd, WatchKind};
use fencepost::lock::{ExtendFailure, LossReason, RefuseReason};
use fencepost::name::{CallId, ClientId, GrantId, Operation, Process, Route, VoterId};
use fencepost::plan::FaultKind;

/// What a reference says of a history.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference {
    /// The place of the first record that completes a violation.
    pub(crate) violated_at: Option<usize>,
    /// Whether the oracle was exercised; only meaningful without a violation.
    pub(crate) exercised: bool,
}

/// The reference of an oracle, where the grants of `readers` are shared.
pub(crate) fn reference(oracle: OracleName, records: &[Record], readers: &[ClientId]) -> Reference {
    let all = History { records, readers };
    let (violated_at, exercised) = match oracle {
        OracleName::PromiseOverlap => all.promise_overlap(),
        OracleName::PromiseEmpty => all.promise_empty(),
        OracleName::PromiseUnbacked => all.promise_unbacked(),
        OracleName::SectionOverlap => all.section_overlap(),
        OracleName::StaleWrite => all.stale_write(),
        OracleName::ValidWriteRefused => all.valid_write_refused(),
        OracleName::LostUpdate => all.lost_update(),
        OracleName::FenceOrder => all.fence_order(),
        OracleName::ForeignChange => all.foreign_change(),
        OracleName::Continuity => all.continuity(),
        OracleName::FalseRefusal => all.false_refusal(),
        OracleName::Orphan => all.orphan(),
        OracleName::Leak => all.leak(),
        OracleName::Stuck => all.bounded(WatchKind::Stuck),
        OracleName::Unavailable => all.bounded(WatchKind::Unavailable),
        OracleName::SilentLoss => all.bounded(WatchKind::SilentLoss),
        OracleName::Unfair => all.unfair(),
        OracleName::HoldCount => all.hold_count(),
    };
    Reference { violated_at, exercised }
}

struct History<'a> {
    records: &'a [Record],
    readers: &'a [ClientId],
}

/// Something that begins at one place and ends before another.
#[derive(Clone, Copy)]
struct Interval {
    grant: GrantId,
    client: ClientId,
    from: usize,
    to: usize,
}

impl Interval {
    fn contains(&self, place: usize) -> bool {
        self.from <= place && place < self.to
    }
}

type Answer = (Option<usize>, bool);

impl History<'_> {
    /// Whether grants of these two could be in conflict.
    fn rivals(&self, one: ClientId, other: ClientId) -> bool {
        one != other && !(self.readers.contains(&one) && self.readers.contains(&other))
    }

    /// Whether a grant is one inside another.
    fn is_second(&self, wanted: GrantId) -> bool {
        self.any(|fact| matches!(fact, Fact::Reentered { grant, .. } if *grant == wanted))
    }

    fn places(&self) -> std::ops::Range<usize> {
        0..self.records.len()
    }

    fn fact(&self, place: usize) -> &Fact {
        &self.records[place].fact
    }

    fn first(&self, violated: impl Fn(usize) -> bool) -> Option<usize> {
        self.places().find(|place| violated(*place))
    }

    fn client(&self, wanted: GrantId) -> Option<ClientId> {
        self.records.iter().find_map(|record| match record.fact {
            Fact::Granted { call, grant, .. } if grant == wanted => Some(call.client),
            _ => None,
        })
    }

    fn promises(&self) -> Vec<Interval> {
        let ends = |grant, from| {
            let over = |place: &usize| {
                *place > from
                    && matches!(self.fact(*place), Fact::PromiseEnded { grant: known, .. } if *known == grant)
            };
            self.places().find(over).unwrap_or(usize::MAX)
        };
        let begins = self.places().filter_map(|from| match *self.fact(from) {
            Fact::PromiseBegan { grant, call } => {
                Some(Interval { grant, client: call.client, from, to: ends(grant, from) })
            }
            _ => None,
        });
        begins.collect()
    }

    fn sections(&self) -> Vec<Interval> {
        let ends = |grant, from| {
            let over = |place: &usize| {
                *place > from
                    && matches!(self.fact(*place), Fact::SectionLeft { grant: known, .. } if *known == grant)
            };
            self.places().find(over).unwrap_or(usize::MAX)
        };
        let begins = self.places().filter_map(|from| match *self.fact(from) {
            Fact::SectionEntered { grant } => {
                let client = self.client(grant)?;
                Some(Interval { grant, client, from, to: ends(grant, from) })
            }
            _ => None,
        });
        begins.collect()
    }

    fn overlap(&self, intervals: &[Interval]) -> Option<usize> {
        let clash = |late: &Interval| {
            intervals.iter().any(|early| {
                self.rivals(early.client, late.client) && early.from < late.from && early.contains(late.from)
            })
        };
        intervals.iter().filter(|late| clash(late)).map(|late| late.from).min()
    }

    fn attempt_inside_another(&self, intervals: &[Interval]) -> bool {
        self.places().any(|place| match self.fact(place) {
            Fact::AttemptBegan { call, .. } => intervals
                .iter()
                .any(|interval| self.rivals(interval.client, call.client) && interval.contains(place)),
            _ => false,
        })
    }

    fn promised(&self, grant: GrantId, place: usize) -> bool {
        self.promises().iter().any(|promise| promise.grant == grant && promise.contains(place))
    }

    /// Who wrote what lies at a node just before this place.
    fn content(&self, node: VoterId, before: usize) -> Option<CallId> {
        let last = self.records[..before].iter().rev().find_map(|record| match &record.fact {
            Fact::Applied { by, change: Some(change), .. }
                if record.process == Process::Node(node.into()) =>
            {
                match change.effect {
                    HoldEffect::Written => Some(Some(*by)),
                    HoldEffect::Removed => Some(None),
                    HoldEffect::Updated | HoldEffect::Prolonged => None,
                }
            }
            Fact::HoldGone { node: at, .. } if *at == node => Some(None),
            _ => None,
        });
        last.flatten()
    }

    fn any(&self, wanted: impl Fn(&Fact) -> bool) -> bool {
        self.records.iter().any(|record| wanted(&record.fact))
    }

    fn any_written_before(&self, place: usize) -> bool {
        let written = |record: &Record| matches!(record.fact, Fact::Applied { change: Some(change), .. } if change.effect == HoldEffect::Written);
        self.records[..place].iter().any(written)
    }

    fn promise_overlap(&self) -> Answer {
        let promises = self.promises();
        let two = self.places().any(|i| {
            self.places().any(|j| match (self.fact(i), self.fact(j)) {
                (Fact::Granted { call: a, .. }, Fact::Granted { call: b, .. }) => {
                    self.rivals(a.client, b.client)
                }
                _ => false,
            })
        });
        (self.overlap(&promises), two && self.attempt_inside_another(&promises))
    }

    fn promise_empty(&self) -> Answer {
        let empty = |place| {
            matches!(
                self.fact(place),
                Fact::Granted { ahead: false, .. } | Fact::Extended { ahead: false, .. }
            )
        };
        (self.first(empty), !self.promises().is_empty())
    }

    fn promise_unbacked(&self) -> Answer {
        let unbacked = |place| match *self.fact(place) {
            Fact::Backing { grant, winnable, quorum, .. } => {
                winnable >= quorum && self.promised(grant, place)
            }
            _ => false,
        };
        (self.first(unbacked), !self.promises().is_empty())
    }

    fn section_overlap(&self) -> Answer {
        let sections = self.sections();
        let two = sections.iter().any(|a| sections.iter().any(|b| self.rivals(a.client, b.client)));
        (self.overlap(&sections), two && self.attempt_inside_another(&sections))
    }

    fn stale_write(&self) -> Answer {
        let accepted = |place: usize| match *self.fact(place) {
            Fact::StoreWrite { grant, accepted: true, .. } => Some(grant),
            _ => None,
        };
        let stale = |late| {
            let older = accepted(late);
            older.is_some_and(|older| {
                (0..late).any(|early| accepted(early).is_some_and(|newer| newer > older))
            })
        };
        let writers = || {
            self.records.iter().filter_map(|record| match record.fact {
                Fact::StoreWrite { grant, .. } => Some(grant),
                _ => None,
            })
        };
        (self.first(stale), writers().any(|a| writers().any(|b| a != b)))
    }

    fn valid_write_refused(&self) -> Answer {
        let refused = |place| match *self.fact(place) {
            Fact::StoreWrite { grant, accepted: false, .. } => {
                let newer = |record: &Record| matches!(record.fact, Fact::Granted { grant: known, .. } if known > grant && !self.is_second(known));
                self.promised(grant, place) && !self.records[..place].iter().any(newer)
            }
            _ => false,
        };
        let reached = self.places().any(|place| match *self.fact(place) {
            Fact::StoreWrite { grant, .. } => self.promised(grant, place),
            _ => false,
        });
        (self.first(refused), reached)
    }

    fn lost_update(&self) -> Answer {
        let run = |place: usize| match *self.fact(place) {
            Fact::StoreWrite { accepted: true, access: Access::Run { item, .. }, .. } => Some(item),
            _ => None,
        };
        let lost = |place: usize| match *self.fact(place) {
            Fact::StoreWrite { accepted: true, access: Access::Buy { left, orders, start, .. }, .. } => {
                left + orders != start
            }
            _ => run(place).is_some_and(|item| (0..place).any(|early| run(early) == Some(item))),
        };
        // Whose read of what: the stock, or an item.
        let read = |place: usize| match *self.fact(place) {
            Fact::StoreRead { grant, .. } => Some((None, self.client(grant))),
            Fact::StoreLooked { grant, item, .. } => Some((Some(item), self.client(grant))),
            _ => None,
        };
        let written = |what: Option<u32>| match what {
            Some(_) => self.places().any(|place| run(place) == what),
            None => self.any(|fact| {
                matches!(fact, Fact::StoreWrite { accepted: true, access: Access::Buy { .. }, .. })
            }),
        };
        let exercised = self.places().any(|i| {
            self.places().any(|j| match (read(i), read(j)) {
                (Some((a, one)), Some((b, other))) => a == b && one != other && written(a),
                _ => false,
            })
        });
        (self.first(lost), exercised)
    }

    fn fence_order(&self) -> Answer {
        let fence = |place: usize| match *self.fact(place) {
            Fact::Granted { fence, .. } => fence,
            _ => None,
        };
        let second =
            |place: usize| matches!(*self.fact(place), Fact::Granted { grant, .. } if self.is_second(grant));
        let before = |late: usize, wanted: &dyn Fn(i64) -> bool| {
            (0..late).any(|early| fence(early).is_some_and(wanted))
        };
        let falls = |late| {
            let equal = |low| before(late, &|high| high == low) && !second(late);
            fence(late).is_some_and(|low| before(late, &|high| high > low) || equal(low))
        };
        // A second hold with the fence of the first adds nothing.
        let own = |late: &usize| {
            fence(*late).is_some_and(|low| !second(*late) || !before(*late, &|high| high == low))
        };
        (self.first(falls), self.places().filter(own).count() >= 2)
    }

    fn foreign_change(&self) -> Answer {
        let foreign = |place: usize| match (&self.records[place].process, self.fact(place)) {
            (Process::Node(node), Fact::Applied { by, change: Some(_), .. }) => {
                let own = |owner: CallId| owner.client == by.client && self.is_second_call(*by);
                self.content(node.voter, place).is_some_and(|owner| owner != *by && !own(owner))
            }
            _ => false,
        };
        let executed = self.any(|fact| match fact {
            Fact::Applied { name, .. } => {
                let Route::Command { operation, .. } = name.route else { return false };
                operation == Operation::Release || operation == Operation::Extend
            }
            _ => false,
        });
        (self.first(foreign), executed)
    }

    fn continuity(&self) -> Answer {
        let overtaken = |grant: GrantId, place: usize| {
            let rival = |record: &Record| match record.fact {
                Fact::Granted { call, grant: newer, .. } => {
                    newer > grant && self.client(grant).is_none_or(|owner| self.rivals(owner, call.client))
                }
                _ => false,
            };
            self.records[..place].iter().any(rival)
        };
        let broken =
            |place| matches!(*self.fact(place), Fact::Extended { grant, .. } if overtaken(grant, place));
        let answered = self.places().any(|place| match *self.fact(place) {
            Fact::ExtendFailed { grant, why: ExtendFailure::Gone | ExtendFailure::TooLate }
            | Fact::LossTold { grant, why: LossReason::Gone } => overtaken(grant, place),
            _ => false,
        });
        (self.first(broken), answered)
    }

    fn false_refusal(&self) -> Answer {
        let wrote = |wanted: CallId, place: usize| {
            self.records[..place].iter().any(|record| {
                matches!(record.fact, Fact::Applied { by, change: Some(change), .. }
                    if by == wanted && change.effect == HoldEffect::Written)
            })
        };
        let wrong = |place| match *self.fact(place) {
            Fact::Refused { call, why: RefuseReason::Taken, quorum, .. } => {
                let carries = |node: &u8| self.content(VoterId(*node), place) == Some(call);
                (0..16).filter(carries).count() >= usize::from(quorum)
            }
            _ => false,
        };
        let exercised = self.places().any(|place| match *self.fact(place) {
            Fact::Refused { call, .. } => wrote(call, place),
            _ => false,
        });
        (self.first(wrong), exercised)
    }

    fn orphan(&self) -> Answer {
        let orphaned = |place| matches!(self.fact(place), Fact::LeftOver { excused: false, .. });
        let settled = self.any(|fact| *fact == Fact::Settled);
        (self.first(orphaned), settled && self.any_written_before(self.records.len()))
    }

    fn leak(&self) -> Answer {
        let over = |place: usize, wanted: WatchEnd| matches!(*self.fact(place), Fact::WatchOver { watch, end } if watch.kind == WatchKind::Leak && end == wanted);
        let judged = self.places().any(|place| over(place, WatchEnd::Met) && self.any_written_before(place));
        (self.first(|place| over(place, WatchEnd::Missed)), judged)
    }

    fn bounded(&self, kind: WatchKind) -> Answer {
        let missed = |place| matches!(*self.fact(place), Fact::WatchOver { watch, end: WatchEnd::Missed } if watch.kind == kind);
        let judged = |fact: &Fact| matches!(*fact, Fact::WatchOver { watch, end } if watch.kind == kind && end != WatchEnd::Void);
        (self.first(missed), self.any(judged))
    }

    /// Whether a call led to a grant inside another.
    fn is_second_call(&self, wanted: CallId) -> bool {
        self.any(|fact| matches!(fact, Fact::Granted { call, grant, .. } if *call == wanted && self.is_second(*grant)))
    }

    /// From a call's coming to a node until it is served, by a hold that it took or by its grant, or is over.
    /// `usize::MAX` where it never is. With the place at which it is served, if it is.
    fn waits(&self) -> Vec<Wait> {
        let begins = self.places().filter_map(|from| match *self.fact(from) {
            Fact::AcquireBegan { call } if !self.is_inside(call.client, from) => self.wait(call, from),
            _ => None,
        });
        begins.collect()
    }

    fn is_inside(&self, client: ClientId, before: usize) -> bool {
        self.sections().iter().any(|section| section.client == client && section.contains(before))
    }

    fn wait(&self, call: CallId, begun: usize) -> Option<Wait> {
        let after =
            |from: usize, wanted: &dyn Fn(usize) -> bool| (from..self.records.len()).find(|p| wanted(*p));
        let asks = |place: usize| match self.fact(place) {
            Fact::Applied { name, by, .. } => {
                let Route::Command { operation, .. } = name.route else { return false };
                *by == call && operation == Operation::Acquire
            }
            _ => false,
        };
        let over = after(begun + 1, &|place| match *self.fact(place) {
            Fact::Refused { call: known, .. } => known == call,
            Fact::AcquireBegan { call: next } => {
                next.client == call.client && !self.is_inside(next.client, place)
            }
            Fact::FaultBegan { kind: FaultKind::Crash, .. } => {
                self.records[place].process == Process::Client(call.client)
            }
            _ => false,
        });
        let over = over.unwrap_or(usize::MAX);
        let served = after(begun, &|place| match *self.fact(place) {
            Fact::Granted { call: known, .. } => known == call,
            Fact::Applied { change: Some(change), .. } => {
                asks(place) && matches!(change.effect, HoldEffect::Written | HoldEffect::Updated)
            }
            _ => false,
        });
        let served = served.filter(|place| *place < over);
        let came = after(begun, &asks).or(served)?;
        let came = served.map_or(came, |served| came.min(served));
        (came < over).then_some(Wait { call, came, served, over: served.unwrap_or(usize::MAX).min(over) })
    }

    fn unfair(&self) -> Answer {
        let waits = self.waits();
        let rivals = |one: &Wait, other: &Wait| self.rivals(one.call.client, other.call.client);
        let passes = |late: &Wait, place: usize| {
            waits.iter().any(|early| rivals(early, late) && early.came < late.came && place < early.over)
        };
        let unfair = |late: &Wait| late.served.filter(|place| passes(late, *place));
        let together = waits.iter().any(|one| {
            waits.iter().any(|other| {
                // Whoever is served by its first command does not wait.
                let waited = other.came < other.over;
                rivals(one, other) && one.came < other.came && waited && other.came < one.over
            })
        });
        (waits.iter().filter_map(unfair).min(), together)
    }

    fn hold_count(&self) -> Answer {
        let wrong = |place| {
            matches!(*self.fact(place), Fact::HoldsCounted { believed, most, assured, .. }
                if most > believed || assured < believed)
        };
        let counted = |from: usize| {
            self.records[from..].iter().any(|record| matches!(record.fact, Fact::HoldsCounted { .. }))
        };
        let second = |place: &usize| matches!(self.fact(*place), Fact::Reentered { .. });
        (self.first(wrong), self.places().filter(second).any(counted))
    }
}

/// A call that waits, from one place to before another.
struct Wait {
    call: CallId,
    came: usize,
    served: Option<usize>,
    over: usize,
}
