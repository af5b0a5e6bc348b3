//! A run and the shelf for a program: JSON with a schema number.
//!
//! Keys are snake_case, names kebab-case. A change of shape raises [`SCHEMA`]. Must not carry anything that
//! differs between two runs of one seed.

use super::Story;
use super::shelf::{Shelf, basis};
use super::verdict::{judged, verdict};
use crate::lock::Ttl;
use crate::time::ClockKind;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// The version of every JSON shape.
pub const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Run<'a> {
    schema: u32,
    scenario: &'a str,
    seed: u64,
    verdict: &'static str,
    as_expected: Option<bool>,
    oracles: InOrder<&'static str>,
    witnesses: InOrder<u64>,
    digest: String,
    events: u64,
    world_us: u64,
}

/// An object whose keys keep their order.
pub(super) struct InOrder<V>(pub(super) Vec<(String, V)>);

impl<V: Serialize> Serialize for InOrder<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// One run as one line of JSON.
pub fn run_json(story: Story<'_>) -> String {
    serde_json::to_string(&run_value(story)).expect("text, numbers and maps with text keys are JSON") + "\n"
}

/// One run as an object.
pub(super) fn run_value(story: Story<'_>) -> impl Serialize {
    let result = story.result;
    let oracles = judged(story).into_iter().map(|(oracle, outcome)| (oracle.to_string(), outcome.text()));
    Run {
        schema: SCHEMA,
        scenario: &story.scenario.name,
        seed: result.seed,
        verdict: verdict(&result.judgement.verdict),
        as_expected: result.judgement.as_expected(),
        oracles: InOrder(oracles.collect()),
        witnesses: InOrder(
            result.witnesses.counts().map(|(name, count)| (name.to_string(), count)).collect(),
        ),
        digest: format!("{:016x}", result.digest),
        events: result.events,
        world_us: result.end.0,
    }
}

/// The shelf as one line of JSON.
pub fn shelf_json(shelf: &Shelf) -> String {
    let protocols = shelf.offers.iter().map(|offer| {
        let traits = &offer.traits;
        let ttl_ms = match traits.ttl {
            Ttl::Never => Value::Null,
            Ttl::Of(ttl) => ttl.as_ms_floor().into(),
        };
        let clock = match traits.clock {
            ClockKind::Mono => "mono",
            ClockKind::Wall => "wall",
        };
        json!({
            "protocol": traits.protocol, "about": offer.about, "voters": traits.voters, "quorum": traits.quorum,
            "ttl_ms": ttl_ms, "clock": clock, "basis": traits.basis.map(basis), "fenced": traits.fenced,
            "fifo": traits.fifo, "reentrant": traits.reentrant,
        })
    });
    let protocols: Vec<Value> = protocols.collect();
    format!("{}\n", json!({ "schema": SCHEMA, "scenarios": shelf.exhibits, "protocols": protocols }))
}
