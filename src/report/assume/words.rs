//! Names of sets, cells and folders.
//!
//! Must not decide what a cell is: the matrix does.

use crate::check::OracleName;
use crate::prove::assume::{Absence, Break, Matrix, Row, Within, Without};
use crate::prove::{Kind, Replay};

/// What stands where a kind meets an oracle of a lock, within one fault.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell<'a> {
    /// The kind cannot happen here.
    Absent,
    /// The oracle is not exercised even without faults, or cannot arise.
    Silent(Without),
    /// It breaks.
    Breaks(&'a Break),
    /// It holds.
    Safe,
    /// It holds, but the kind never took effect in any search.
    Idle,
    /// It was not exhausted.
    Unknown,
}

/// The cell of one kind alone.
pub(super) fn cell<'a>(matrix: &'a Matrix, row: &'a Row, within: Option<&'a Within>, kind: Kind) -> Cell<'a> {
    if matrix.subject.absent.iter().any(|(absent, _)| *absent == kind) {
        return Cell::Absent;
    }
    let Some(within) = within else { return Cell::Silent(row.without) };
    if let Some(broken) = within.broken(&[kind]) {
        return Cell::Breaks(broken);
    }
    match (within.is_safe(&[kind]), matrix.idle.contains(&kind)) {
        (true, false) => Cell::Safe,
        (true, true) => Cell::Idle,
        (false, _) => Cell::Unknown,
    }
}

/// The folder of a breaking set's smallest plan, below the folder of all; none if in finer time it may be no violation.
pub fn break_folder(subject: &str, oracle: OracleName, broken: &Break) -> Option<String> {
    let kinds = match broken.kinds.as_slice() {
        [] => "without-faults".to_owned(),
        kinds => kinds.iter().map(|kind| kind.text()).collect::<Vec<_>>().join("-"),
    };
    match broken.found.replay {
        Replay::Agrees => Some(format!("{subject}-{oracle}-{kinds}")),
        Replay::Touches | Replay::Untold | Replay::Disagrees => None,
    }
}

/// A set, in braces.
pub(super) fn set(kinds: &[Kind]) -> String {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.text()).collect();
    match kinds.as_slice() {
        [] => "nothing".to_owned(),
        kinds => format!("{{{}}}", kinds.join(", ")),
    }
}

/// A breaking set, and whether one kind of it strikes twice, or it only touches.
pub(super) fn broken(broken: &Break) -> String {
    let margin = match broken.found.replay {
        Replay::Agrees => "",
        Replay::Touches => " (margin 0)",
        Replay::Untold => " (not told to the seeded world)",
        Replay::Disagrees => " (NOT CONFIRMED)",
    };
    let struck = &broken.found.faults;
    let twice = broken.kinds.iter().find(|kind| struck.iter().filter(|struck| struck == kind).count() > 1);
    let twice = twice.map(|kind| format!(" ({} twice)", kind.text())).unwrap_or_default();
    let kinds = if broken.kinds.is_empty() { "even without faults".to_owned() } else { set(&broken.kinds) };
    format!("{kinds}{twice}{margin}")
}

/// How an oracle ends if nothing goes wrong.
pub(super) fn without(without: Without) -> &'static str {
    match without {
        Without::Held => "held",
        Without::Violated => "violated",
        Without::NotExercised => "not exercised",
        Without::NotApplicable => "n/a",
        Without::Unknown => "unknown",
    }
}

/// Why a kind cannot happen.
pub(super) fn absence(why: Absence) -> &'static str {
    match why {
        Absence::NoNode => "the lock asks no node",
        Absence::NoReplica => "there is no replica",
        Absence::NoStore => "nobody writes to a store",
        Absence::NoPromise => "no promise ends by a clock",
        Absence::NotListed => "its file does not list it",
    }
}

/// So many faults.
pub(super) fn faults(count: u8) -> String {
    format!("{count} fault{}", if count == 1 { "" } else { "s" })
}
