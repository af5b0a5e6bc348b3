//! What locks offer: presets against features, and the switches that break a lock.
//!
//! Must not judge.

use super::SCHEMA;
use super::table::{Align, table};
use crate::lock::{Feature, Recipe};
use crate::scenario::{Broken, Preset, Twin};
use serde_json::{Value, json};

/// A preset and the recipe that it stands for.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The preset.
    pub preset: Preset,
    /// Its lock, as a drill gives it its TTL.
    pub recipe: Recipe,
}

/// For a person: a row per preset, then a line per switch.
pub fn features_text(offered: &[Offered], twins: &[Twin]) -> String {
    let mut text =
        format!("Presets ({}): put one into any scenario with `run NAME --like PRESET`\n\n", offered.len());
    let heads = Feature::TEXTS.map(|(_, head)| head);
    let mut head = ["", "", "", "", "", "", "", "", "", "", "", ""];
    head[0] = "preset";
    head[1..].copy_from_slice(&heads);
    let rows = offered.iter().map(|Offered { preset, recipe }| {
        let has = |(feature, _): &(Feature, &str)| if feature.is_in(recipe) { "yes" } else { "-" }.to_owned();
        std::iter::once(preset.name.clone()).chain(Feature::TEXTS.iter().map(has)).collect()
    });
    text.push_str(&table(head, [Align::Left; 12], rows));
    text.push_str(&format!(
        "\nSwitches that break a lock ({}): `run switch:NAME` shows it, `run switch:NAME:twin` the same plan without\n\n",
        twins.len()
    ));
    let rows = twins.iter().map(|twin| {
        vec![twin.name.clone(), twin.switch.clone(), broken(twin.breaks), format!("drill:{}", twin.drill)]
    });
    text.push_str(&table(["name", "switch", "breaks", "under"], [Align::Left; 4], rows));
    text
}

/// For a program.
pub fn features_json(offered: &[Offered], twins: &[Twin]) -> String {
    let presets: Vec<Value> = offered
        .iter()
        .map(|Offered { preset, recipe }| {
            let features: Vec<Feature> =
                Feature::TEXTS.iter().map(|(feature, _)| *feature).filter(|f| f.is_in(recipe)).collect();
            json!({
                "name": preset.name,
                "family": preset.family,
                "title": preset.title,
                "source": preset.source,
                "lock": preset.table,
                "features": features,
            })
        })
        .collect();
    let switches: Vec<Value> = twins
        .iter()
        .map(|twin| {
            json!({
                "name": twin.name,
                "switch": twin.switch,
                "breaks": broken(twin.breaks),
                "drill": twin.drill,
                "claim": twin.claim,
                "source": twin.source,
            })
        })
        .collect();
    format!("{}\n", json!({ "schema": SCHEMA, "presets": presets, "switches": switches }))
}

fn broken(breaks: Broken) -> String {
    match breaks {
        Broken::Oracle(oracle) => oracle.to_string(),
        Broken::Grants(few) => format!("grants = {few}"),
    }
}
