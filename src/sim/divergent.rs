//! One seed, two runs: nondeterminism, a bug of ours, and the search for where they part.
//!
//! Must not render text.

use super::judged::{Keep, RunResult};
use super::subject::Runs;

/// Two runs of one seed that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergent {
    /// The seed.
    pub seed: u64,
    /// The digests of the two runs in which it was noticed.
    pub digests: [u64; 2],
    /// Two runs with records that differ; `None` if no further pair differed.
    pub runs: Option<[RunResult; 2]>,
}

/// How often a pair of runs with records is tried.
const PAIRS: usize = 20;

/// Runs a seed once more and compares with a run that was made without records.
pub(super) fn repeat<S: Runs>(subject: &S, first: &RunResult) -> Result<(), Box<Divergent>> {
    let again = subject.run(first.seed, Keep::Nothing);
    if again == *first { Ok(()) } else { Err(Box::new(part(subject, first, &again))) }
}

/// Looks for records that show where two runs of a seed part.
pub(super) fn part<S: Runs>(subject: &S, first: &RunResult, again: &RunResult) -> Divergent {
    let seed = first.seed;
    let digests = [first.digest, again.digest];
    let one = subject.run(seed, Keep::Records);
    let other = (0..PAIRS).map(|_| subject.run(seed, Keep::Records)).find(|other| *other != one);
    Divergent { seed, digests, runs: other.map(|other| [one, other]) }
}
