//! `[expect]`: what is judged, what is counted, and what can never come true.

use super::super::error::Wrong;
use super::super::shape::{CountKeys, ExpectTable};
use super::number::{in_range, ranged};
use crate::check::{CountRange, Expectation, Expected, OracleName, WitnessName};
use crate::world::Setup;
use std::collections::BTreeMap;
use toml::Spanned;

/// The largest count that may be expected.
const COUNT_MAX: i64 = 1_000_000_000;

/// What is expected of a run of `setup`.
pub(super) fn expect(table: ExpectTable, setup: &Setup) -> Result<Expectation, Wrong> {
    let mut oracles = BTreeMap::new();
    for (oracle, expected) in table.oracles {
        if expected != Expected::NotExercised {
            possible(&oracle, setup)?;
        }
        oracles.insert(oracle.into_inner(), expected);
    }
    let mut witnesses = BTreeMap::new();
    for (name, keys) in table.witnesses {
        let count = count(name, &keys)?;
        witnesses.insert(name, count);
    }
    Ok(Expectation { oracles, witnesses })
}

/// That the oracle can be exercised at all.
pub(crate) fn possible(oracle: &Spanned<OracleName>, setup: &Setup) -> Result<(), Wrong> {
    let any_writes = setup.clients.iter().any(|client| client.workload.task.writes());
    let any_invariant = setup.clients.iter().any(|client| client.workload.task.has_invariant());
    let any_fence = setup.clients.iter().any(|client| client.lock.is_fenced());
    let name = *oracle.get_ref();
    let lacks = match name {
        OracleName::StaleWrite | OracleName::ValidWriteRefused if !any_writes => {
            "no client writes (`writes = 0`)"
        }
        OracleName::LostUpdate if !any_invariant => {
            "only the workloads stock, cron and submit have an invariant to lose"
        }
        OracleName::FenceOrder if !any_fence => "no lock hands out fences (`fence = \"incr\"`)",
        OracleName::StaleWrite
        | OracleName::ValidWriteRefused
        | OracleName::LostUpdate
        | OracleName::FenceOrder
        | OracleName::PromiseOverlap
        | OracleName::PromiseEmpty
        | OracleName::PromiseUnbacked
        | OracleName::SectionOverlap
        | OracleName::ForeignChange
        | OracleName::Continuity
        | OracleName::FalseRefusal
        | OracleName::Orphan
        | OracleName::Leak
        | OracleName::Stuck
        | OracleName::Unavailable
        | OracleName::SilentLoss
        | OracleName::Unfair
        | OracleName::HoldCount => return Ok(()),
    };
    let message = format!("{name} can never be exercised here: {lacks}");
    Err(Wrong::contradiction(oracle.span(), message).meant("not-exercised"))
}

fn count(name: WitnessName, keys: &Spanned<CountKeys>) -> Result<CountRange, Wrong> {
    match keys.get_ref() {
        CountKeys::Exact(count) => in_range(*count, keys.span(), name.text(), 0..=COUNT_MAX)
            .map(|count| CountRange::exactly(count as u64)),
        CountKeys::Within(bounds) => {
            let bound = |number: &Option<Spanned<i64>>, key: &str| {
                let ranged = number.as_ref().map(|number| ranged(number, key, 0..=COUNT_MAX));
                ranged.transpose().map(|number| number.map(|number| number as u64))
            };
            let (min, max) = (bound(&bounds.min, "min")?, bound(&bounds.max, "max")?);
            match (min, max) {
                (None, None) => Err(Wrong::contradiction(keys.span(), "bounds need `min`, `max` or both")),
                (Some(min), Some(max)) if min > max => {
                    let message = format!("no count is at least {min} and at most {max}");
                    Err(Wrong::contradiction(keys.span(), message))
                }
                (Some(_) | None, Some(_) | None) => Ok(CountRange { min: min.unwrap_or(0), max }),
            }
        }
    }
}
