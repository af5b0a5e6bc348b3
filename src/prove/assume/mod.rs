//! Under which assumptions a lock is safe: the sets of kinds of fault that break it, and those that do not.
//!
//! Every kind of fault is an assumption dropped. Within a bound on all faults of a run together, what some kinds break
//! more kinds break too, since nothing has to happen that may. So a few searches decide all sets: the
//! *minimal breaking* sets and the *maximal safe* ones, for each oracle. `subject.rs` says which kinds a deployment can
//! suffer, `judge.rs` asks about one set, `survey.rs` about all of them, `shipped.rs` holds the locks that are compared.
//! Must not call a set safe that was not exhausted.

mod judge;
mod shipped;
mod subject;
mod survey;

pub use shipped::{shipped_subject, shipped_subjects};
pub use subject::{Absence, Subject};
pub use survey::{Asking, Bounds, Break, Effort, Matrix, Row, Within, Without, survey};

/// The most unique states of one search where a shipped lock is surveyed, within one fault and within two. Numbers of
/// states and no time, so that the same sets stay undecided everywhere. Within two faults there are dozens of searches
/// for each lock.
pub const STATES_MAX: [u32; 2] = [450_000, 100_000];
