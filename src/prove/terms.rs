//! What is the same in every state of a graph: the scope, the slots of its faults, who wants what, what is judged.
//!
//! Must not change while a graph is searched.

use super::kind::{Kind, Menu};
use super::offer::Slot;
use super::scope::Scope;
use crate::check::OracleName;
use crate::history::{Fact, PromiseEnd};
use crate::name::{ClientId, Direction, Process, VoterId};
use crate::world::Place;

/// The terms of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) scope: Scope,
    pub(crate) menu: Menu,
    pub(crate) slots: Vec<Slot>,
    pub(crate) will: Will,
    pub(crate) sight: Sight,
    pub(crate) touch: Touch,
    /// Whether every moment in which somebody could wait alone, or waits, is a state of its own.
    pub(crate) exposes: bool,
}

/// Who wants the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Will {
    /// Everybody, whenever the checker chooses.
    Free,
    /// Only this client, again and again until it is granted. The others have had enough.
    Alone(ClientId),
    /// Everybody, again and again until somebody is granted; after a refusal so many ticks later, least and most.
    Together(u8, u8),
}

/// Whether intervals that touch in one instant count as overlapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touch {
    /// They do: what has no common instant in ticks may have one in finer time.
    Overlaps,
    /// They do not.
    Apart,
}

/// Which facts the judged oracles see in an order across processes. What nobody sees so commutes with what happens
/// elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Sight {
    attempts: bool,
    grants: bool,
    pub(crate) promises: bool,
    sections: bool,
    pub(crate) store: bool,
    holds: bool,
}

impl Sight {
    /// What these oracles see; `exercise` whether it also matters by what they are exercised, `counted` whether several
    /// holds may lie in one value.
    pub(crate) fn of(oracles: &[OracleName], exercise: bool, counted: bool) -> Self {
        let mut sight = Self::default();
        for oracle in oracles {
            match oracle {
                OracleName::PromiseOverlap => sight.promises = true,
                OracleName::SectionOverlap => sight.sections = true,
                // Only at its store, and older and newer is the order of the grants.
                OracleName::StaleWrite | OracleName::FenceOrder | OracleName::Continuity => {
                    sight.grants = true
                }
                OracleName::ValidWriteRefused => {
                    (sight.grants, sight.promises, sight.store) = (true, true, true);
                }
                // Whether a change took a hold from somebody depends on who held at that moment.
                OracleName::ForeignChange if counted => {
                    (sight.grants, sight.promises, sight.sections, sight.holds) = (true, true, true, true);
                }
                // They look at one process only.
                OracleName::PromiseEmpty | OracleName::ForeignChange => {}
                OracleName::PromiseUnbacked
                | OracleName::LostUpdate
                | OracleName::FalseRefusal
                | OracleName::Orphan
                | OracleName::Leak
                | OracleName::Stuck
                | OracleName::Unavailable
                | OracleName::SilentLoss
                | OracleName::Unfair
                | OracleName::HoldCount => {}
            }
        }
        if exercise {
            (sight.attempts, sight.grants, sight.promises) = (true, true, true);
            (sight.sections, sight.store) = (true, true);
        }
        sight
    }

    /// Whether this fact is seen.
    pub(crate) fn sees(self, fact: &Fact) -> bool {
        let cut = |fact: &Fact| {
            matches!(fact, Fact::PromiseBegan { .. })
                || matches!(fact, Fact::PromiseEnded { why, .. } if *why != PromiseEnd::Reached)
        };
        let exercises =
            matches!(fact, Fact::AttemptBegan { .. } | Fact::ExtendFailed { .. } | Fact::LossTold { .. });
        (self.attempts && exercises)
            || (self.grants && matches!(fact, Fact::Granted { .. } | Fact::Extended { .. }))
            || (self.promises && cut(fact))
            || (self.holds && matches!(fact, Fact::Applied { change: Some(_), .. }))
            || (self.sections && matches!(fact, Fact::SectionEntered { .. } | Fact::SectionLeft { .. }))
    }
}

impl Terms {
    /// How many ticks this message may wait within its bound.
    pub(crate) fn bound(&self, place: &Place) -> u8 {
        match (place.lane.peer, place.direction) {
            (Process::Node(_), _) => self.scope.delay,
            (Process::Store | Process::Client(_), Direction::Request) => self.scope.store_delay,
            (Process::Store | Process::Client(_), Direction::Reply) => 0,
        }
    }

    /// The kind by which this message could be late beyond its bound.
    pub(crate) fn late(place: &Place) -> Option<Kind> {
        match (place.lane.peer, place.direction) {
            (Process::Node(_), Direction::Request) => Some(Kind::LateMessage),
            (Process::Store, Direction::Request) => Some(Kind::StoreDelay),
            (Process::Node(_) | Process::Store | Process::Client(_), _) => None,
        }
    }

    /// The same slot for the voter that is at this place after the voters were reordered: `voters` lists old places by
    /// new place.
    pub(crate) fn moved(&self, slot: u32, voters: &[u8]) -> u32 {
        let Some((family, voter)) = self.slots[slot as usize].family else { return slot };
        let place = voters.iter().position(|old| *old == voter.0).unwrap_or(usize::from(voter.0));
        self.of_family(family, VoterId(place as u8)).unwrap_or(slot)
    }

    /// The slot that was at the voter `voters` lists for its present place: the way back.
    pub(crate) fn original(&self, slot: u32, voters: &[u8]) -> u32 {
        let Some((family, voter)) = self.slots[slot as usize].family else { return slot };
        let old = voters.get(usize::from(voter.0)).copied().unwrap_or(voter.0);
        self.of_family(family, VoterId(old)).unwrap_or(slot)
    }

    /// The first slot of the kind of this one: where offers go on after it began, since voters may have changed places.
    pub(crate) fn first_of_kind(&self, slot: u32) -> u32 {
        let kind = self.slots[slot as usize].kind;
        let place = self.slots.iter().position(|slot| slot.kind == kind);
        place.map_or(slot, |place| place as u32)
    }

    fn of_family(&self, family: u32, voter: VoterId) -> Option<u32> {
        let place = self.slots.iter().position(|slot| slot.family == Some((family, voter)));
        place.map(|place| place as u32)
    }
}
