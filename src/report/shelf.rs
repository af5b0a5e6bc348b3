//! What is on offer: shipped scenarios with their claims, protocols with what they promise.
//!
//! Must not read files.

use super::table::{Align, table};
use super::words::human;
use crate::check::{Expected, OracleName};
use crate::lock::{Basis, Core, CoreTraits, LockCore, Policy, Protocol, Ttl};
use crate::scenario::Scenario;
use crate::time::{ClockKind, Span};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All that can be run.
#[derive(Clone, Debug)]
pub struct Shelf {
    /// The scenarios, by name.
    pub exhibits: Vec<Exhibit>,
    /// The protocols.
    pub offers: Vec<Offer>,
}

/// One scenario.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Exhibit {
    /// Its name.
    pub name: String,
    /// What goes wrong.
    pub title: String,
    /// What it shows.
    pub claim: String,
    /// Where it comes from.
    pub source: Vec<String>,
    /// How its oracles shall end.
    pub expect: BTreeMap<OracleName, Expected>,
}

/// One protocol under the policy `like = "spec"`.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What it promises and needs.
    pub traits: CoreTraits,
    /// One sentence on what it is.
    pub about: &'static str,
}

impl Exhibit {
    /// The exhibit of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        Self {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            claim: scenario.claim.clone(),
            source: scenario.source.clone(),
            expect: scenario.expect.as_ref().map(|expect| expect.oracles.clone()).unwrap_or_default(),
        }
    }
}

impl Offer {
    /// The shipped protocols, with a TTL of 10 s: `redlock` over five nodes.
    pub fn all() -> Vec<Self> {
        let offer = |protocol, voters, about| {
            let policy = Policy::spec(protocol, voters, Ttl::Of(Span::from_ms(10_000)));
            let core = Core::new(Arc::new(policy), Bytes::from_static(b"resource"));
            Self { traits: core.describe(), about }
        };
        vec![
            offer(Protocol::Single, 1, "SET NX PX on one node, released by compare-and-delete"),
            offer(Protocol::Redlock, 5, "the same on independent nodes; a majority decides"),
            offer(Protocol::None, 0, "no lock at all: every call is granted at once"),
        ]
    }
}

impl Shelf {
    /// For a person.
    pub fn text(&self) -> String {
        let mut text = String::from("Protocols (policy like = \"spec\", TTL 10 s)\n\n");
        for offer in &self.offers {
            text.push_str(&format!("  {}\n      {}\n", belief(&offer.traits), offer.about));
        }
        text.push_str(&format!("\nScenarios ({}): run one with `run NAME`\n", self.exhibits.len()));
        for exhibit in &self.exhibits {
            text.push_str(&format!(
                "\n  {}\n      {}\n      {}\n",
                exhibit.name, exhibit.title, exhibit.claim
            ));
            text.push_str(&format!("      expected: {}\n", expectations(exhibit)));
        }
        text.push_str("\nOracles judged by the shipped scenarios\n\n");
        text.push_str(&self.coverage());
        text
    }

    /// How many scenarios violate each oracle on purpose, and in how many it holds.
    fn coverage(&self) -> String {
        let count = |oracle: &OracleName, wanted: Expected| {
            self.exhibits
                .iter()
                .filter(|exhibit| exhibit.expect.get(oracle) == Some(&wanted))
                .count()
                .to_string()
        };
        let named = OracleName::TEXTS.iter().map(|(oracle, _)| oracle);
        let named =
            named.filter(|oracle| self.exhibits.iter().any(|exhibit| exhibit.expect.contains_key(oracle)));
        let rows = named.map(|oracle| {
            vec![oracle.to_string(), count(oracle, Expected::Violated), count(oracle, Expected::Held)]
        });
        table(["oracle", "violated in", "held in"], [Align::Left, Align::Right, Align::Right], rows)
    }
}

fn expectations(exhibit: &Exhibit) -> String {
    let words: Vec<String> = [Expected::Violated, Expected::Held, Expected::NotExercised]
        .into_iter()
        .filter_map(|wanted| {
            let named = exhibit.expect.iter().filter(|(_, expected)| **expected == wanted);
            let named: Vec<String> = named.map(|(oracle, _)| oracle.to_string()).collect();
            let word = super::verdict::expected_text(wanted);
            (!named.is_empty()).then(|| format!("{word} {}", named.join(", ")))
        })
        .collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join("; ") }
}

/// A lock's protocol, whom it asks and what its promise rests on, in one line.
pub(super) fn belief(traits: &CoreTraits) -> String {
    let asks = match (traits.quorum, traits.voters) {
        (0, _) => return format!("{}: asks nobody, promise {}", traits.protocol, promise(traits)),
        (1, 1) => "asks one node".to_owned(),
        (quorum, voters) => format!("needs {quorum} of {voters} voters"),
    };
    let ttl = match traits.ttl {
        Ttl::Never => "no TTL".to_owned(),
        Ttl::Of(ttl) => format!("TTL {}", human(ttl)),
    };
    let clock = match (traits.basis, traits.clock) {
        (None, _) => "",
        (Some(_), ClockKind::Mono) => " on its monotonic clock",
        (Some(_), ClockKind::Wall) => " on its wall clock",
    };
    let fenced = if traits.fenced { ", fenced" } else { "" };
    format!("{}: {asks}, {ttl}, promise {}{clock}{fenced}", traits.protocol, promise(traits))
}

fn promise(traits: &CoreTraits) -> &'static str {
    traits.basis.map_or("as its caller says", basis)
}

/// The name of a basis, as files write it.
pub(super) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Send => "send+ttl-drift",
        Basis::DecisionElapsed => "decision+ttl-elapsed-drift",
        Basis::Decision => "decision+ttl",
        Basis::UntilReleased => "until-released",
        Basis::UntilLost => "until-lost",
    }
}
