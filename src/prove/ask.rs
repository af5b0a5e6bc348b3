//! A model as a file states it: a lock in a scope, what may go wrong, what is expected.
//!
//! Plain data; `file/` reads and writes it. Must not search.

use super::kind::Menu;
use super::scope::Scope;
use crate::check::{Expected, OracleName};
use crate::lock::{CoreTraits, Policy};

/// A model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// What it is called: the file's name without its ending.
    pub name: String,
    /// One line for a person.
    pub title: String,
    /// What it shows.
    pub claim: String,
    /// Where its claim comes from: papers, articles, issues.
    pub source: Vec<String>,
    /// The scope.
    pub scope: Scope,
    /// What may go wrong.
    pub menu: Menu,
    /// The lock of every client, fitted into the scope's ticks.
    pub policy: Policy,
    /// The oracles to be judged and how each should end, in the order of [`OracleName`].
    pub expect: Vec<(OracleName, Expected)>,
    /// What is asked about progress.
    pub progress: Option<Progress>,
    /// What an earlier proof counted.
    pub pinned: Option<Pinned>,
    /// The file's text.
    pub text: String,
    /// Where the text came from.
    pub origin: String,
    /// The lock that is proved in the place of the file's; `None` for the file's own.
    pub own: Option<OwnLock>,
}

/// A lock that no file names, in the place of a model's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnLock {
    /// What it says of itself.
    pub traits: CoreTraits,
    /// What comes before the verb on the command line of the binary that has it.
    pub program: String,
    /// What it is measured by.
    pub measure: Measure,
}

/// What a lock that no file names is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// What the file expects, for whoever wrote it knows the lock.
    File,
    /// That it holds every oracle that the file judges: what the file expects is about its own lock.
    Held,
}

/// What is asked about progress. Both quantify over every schedule within the delays of the scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    /// From every reachable state in which no fault is in force and all others are at rest, and with them idle for
    /// good, a client that calls until it is granted is granted within so many ticks.
    Alone {
        /// The most ticks; `None` expects the opposite: a schedule on which the client is never granted.
        within: Option<u32>,
    },
    /// All clients call until they are granted, and after each refusal wait for some ticks from this range, least and
    /// most. Expected is a schedule without any grant for ever, or, if `way_out`, that besides every state on it has
    /// a wait that leads out.
    Together {
        /// The wait before the next call.
        retry: (u8, u8),
        /// What is expected.
        expect: Endless,
    },
}

/// What is expected of clients that all call at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Endless {
    /// Some schedule never grants, and from some state without a grant no choice of waits forces one.
    Trapped,
    /// Some schedule never grants, but from every state without a grant some choice of waits forces one, whatever the
    /// messages do.
    WayOut,
    /// No schedule goes on for ever without a grant.
    Never,
}

/// What an earlier proof of an exhausted model counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pinned {
    /// Unique states.
    pub states: u64,
}
