//! What a proof says: a finding per oracle, the scope it holds in, what was seen on the way.
//!
//! "Held" is only ever said together with the scope and the witnesses that are in this value. Must not search.

use super::choices::Choice;
use super::kind::Kind;
use crate::check::{OracleName, WitnessName};
use crate::plan::Plan;
use crate::time::WorldTime;

/// The outcome of proving one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// How each oracle that was asked for ended, in the order asked.
    pub findings: Vec<(OracleName, Finding)>,
    /// What was seen to happen somewhere in the graph; what was not may be impossible in the scope.
    pub witnesses: Vec<(WitnessName, bool)>,
    /// Which of the kinds allowed took effect somewhere in the graph.
    pub happened: Vec<(Kind, bool)>,
    /// What progress came to, if the model asks for it.
    pub progress: Option<ProgressFinding>,
    /// The searches that it took, together.
    pub effort: Effort,
}

/// How much was searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Unique states of the search that judges; pinned if exhausted.
    pub states: u64,
    /// Transitions of that search.
    pub edges: u64,
    /// The most choices from the start to a state.
    pub depth: u32,
    /// Unique states of further searches: for witnesses, for progress.
    pub beside: u64,
    /// How it ended.
    pub ended: Ended,
    /// Two different states may have had one fingerprint with at most this chance: one in 2 to this power.
    pub collision_power: u32,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// Every state was seen.
    Exhausted,
    /// Everything asked was violated, so the rest was not looked at.
    Answered,
    /// A limit of states or memory.
    Limit,
    /// Whoever watched said stop: the time was up, or Ctrl-C.
    Stopped,
}

/// How one oracle ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No schedule of the scope violates it, all were looked at, and it is exercised in some.
    Held,
    /// The shortest schedule that violates it.
    Violated(Box<Counterexample>),
    /// No schedule violates it, but none exercises it either: says nothing.
    NotExercised,
    /// Cannot arise in this scope.
    NotApplicable,
    /// Not violated in what was searched, which was not everything.
    Unknown,
}

/// A schedule that violates an oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The choices from the start.
    pub path: Vec<Choice>,
    /// What makes the seeded explorer take it.
    pub plan: Plan,
    /// When its last step happens in the seeded world.
    pub end: WorldTime,
    /// The kinds of fault that happened on it, in order.
    pub faults: Vec<Kind>,
    /// What the seeded world says of the plan.
    pub replay: Replay,
}

/// What the seeded world says of an exported counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Replay {
    /// It violates the same oracle.
    Agrees,
    /// It does not, and need not: in ticks two intervals touch in one point, which in finer time they may miss.
    /// Margin 0.
    Touches,
    /// It does not, and nobody knows whether it should: a plan cannot say that of two timers of one client that are due
    /// at once the later set fires first; or intervals touch in a point, and the search for a schedule in which they do
    /// more ended early. Not confirmed, so no more than a doubt.
    Untold,
    /// It does not, and should: a fault of ours.
    Disagrees,
}

/// What was found about progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgressFinding {
    /// Every schedule grants within so many ticks; the schedule that takes longest.
    Within {
        /// The most ticks.
        ticks: u32,
        /// The slowest schedule.
        slowest: Vec<Choice>,
    },
    /// A schedule goes on for ever without a grant.
    Endless {
        /// From the start to the cycle.
        stem: Vec<Choice>,
        /// The cycle.
        cycle: Vec<Choice>,
        /// Whether from every state without a grant some waits between calls force one, whatever the messages do.
        way_out: bool,
        /// The stem and two rounds, for the seeded explorer, and when they end there.
        shown: Option<(Plan, WorldTime)>,
    },
    /// A schedule comes to a state in which nothing happens any more.
    DeadEnd {
        /// The choices from the start.
        path: Vec<Choice>,
    },
    /// Not all was searched.
    Unknown,
}
