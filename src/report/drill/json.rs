//! Drills for a program.

use super::{DrillStory, trouble, unpinned, vain};
use crate::check::OracleName;
use crate::report::SCHEMA;
use crate::sim::Over;
use serde_json::{Value, json};

/// One line: per lock and oracle how it ended over all drills.
pub fn drills_json(story: DrillStory<'_>) -> String {
    let rows: Vec<Value> = story
        .rows
        .iter()
        .map(|row| {
            let oracles: serde_json::Map<String, Value> = OracleName::TEXTS
                .iter()
                .map(|(oracle, name)| ((*name).to_owned(), ended(&story, row.over(*oracle))))
                .collect();
            json!({
                "preset": row.preset.name,
                "family": row.preset.family,
                "title": row.preset.title,
                "source": row.preset.source,
                "assumed": row.preset.assumed,
                "why": row.preset.why,
                "advice": row.preset.advice,
                "as_pinned": unpinned(row).is_empty(),
                "no_grant_in": vain(&story, row),
                "trouble": trouble(&story, row),
                "oracles": oracles,
            })
        })
        .collect();
    let drills: Vec<Value> = story
        .drills
        .iter()
        .enumerate()
        .map(|(index, drill)| json!({ "name": drill.name, "title": drill.title, "faults": story.faults(index) }))
        .collect();
    let whole = json!({
        "schema": SCHEMA,
        "command": story.command,
        "version": env!("CARGO_PKG_VERSION"),
        "runs_per_drill": crate::sim::DRILL_RUNS,
        "drills": drills,
        "rows": rows,
    });
    format!("{whole}\n")
}

fn ended(story: &DrillStory<'_>, over: Over) -> Value {
    match over {
        Over::NotApplicable => json!({ "ends": "n/a" }),
        Over::NotExercised => json!({ "ends": "not-exercised" }),
        Over::Held { drills } => json!({ "ends": "held", "drills": drills }),
        Over::Violated { drill, seed, drills } => json!({
            "ends": "violated",
            "drill": story.drills[drill].name,
            "faults": story.faults(drill),
            "first_seed": seed,
            "drills": drills,
        }),
    }
}
