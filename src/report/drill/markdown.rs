//! Drills as a file to keep: the same bytes wherever and however often it is made.

use super::{DrillStory, trouble, vain};
use crate::check::OracleName;
use crate::scenario::Family;
use crate::sim::{DRILL_RUNS, DrillRow, Over};

/// The oracles of the overview, and what stands above their columns.
const OVERVIEW: [(OracleName, &str); 11] = [
    (OracleName::PromiseOverlap, "promise overlap"),
    (OracleName::SectionOverlap, "section overlap"),
    (OracleName::StaleWrite, "stale write"),
    (OracleName::ForeignChange, "foreign change"),
    (OracleName::FalseRefusal, "false refusal"),
    (OracleName::Orphan, "orphan"),
    (OracleName::Leak, "leak"),
    (OracleName::Stuck, "stuck"),
    (OracleName::Unavailable, "unavailable"),
    (OracleName::SilentLoss, "silent loss"),
    (OracleName::HoldCount, "hold count"),
];

/// The file.
pub fn drills_markdown(story: DrillStory<'_>) -> String {
    let mut text = opening(&story);
    text.push_str(&overview(&story));
    text.push_str(&list_of_drills(&story));
    for (family, head) in
        [(Family::Reference, "References"), (Family::Library, "Libraries"), (Family::Article, "Printed code")]
    {
        let mut rows = story.rows.iter().filter(|row| row.preset.family == family).peekable();
        if rows.peek().is_some() {
            text.push_str(&format!("\n## {head}\n"));
        }
        rows.for_each(|row| text.push_str(&section(&story, row)));
    }
    text
}

fn opening(story: &DrillStory<'_>) -> String {
    format!(
        "# {title}\n\nMade by `{command}` of fencepost {version}: every lock is put into each of {drills} drills and run \
         under {DRILL_RUNS} seeds.\n\n\
         ## How to read it\n\n\
         A *preset* states how a library or a printed piece of code keeps time and what it sends; it contains none of \
         its code. A *drill* is a fixed plan: who wants the lock when, and what goes wrong. All presets run with a TTL of \
         10 s (those without one have none), messages take 5 ms each way, and holders do not look at a deadline (but in \
         `nodes-fast`), as most code does not. Per oracle the table says *violated* with the drill in which the fewest things go wrong (0 is \
         none: contention and long work only), *held* if it was exercised in some drill and violated in none, `-` if no \
         drill exercised it, `n/a` if it cannot arise. A lock that states no deadline is taken to believe in its hold until \
         it releases. Any line of a section can be pasted behind `cargo run --release --` and shows the timeline.\n\n\
         ## What it does not say\n\n\
         - That a lock is safe: *held* means in these drills and under these seeds.\n\
         - That a published library is broken in production: a preset is our reading of its source, in the version named, \
         reduced to timing and messages. What is *assumed* is listed.\n\
         - How often anything happens: drills are chosen to hurt.\n\
         - Anything of Sentinel or Cluster themselves: a failover is a promotion of one replica.\n",
        title = story.title,
        command = story.command,
        version = env!("CARGO_PKG_VERSION"),
        drills = story.drills.len(),
    )
}

fn overview(story: &DrillStory<'_>) -> String {
    let heads: Vec<&str> = OVERVIEW.iter().map(|(_, head)| *head).collect();
    let mut text =
        format!("\n## Overview\n\n| preset | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for row in story.rows {
        let cells: Vec<String> = OVERVIEW.iter().map(|(oracle, _)| cell(story, row.over(*oracle))).collect();
        text.push_str(&format!("| [`{0}`](#{0}) | {1} |\n", row.preset.name, cells.join(" | ")));
    }
    text.push_str(
        "\nThe number behind *violated* is how many things go wrong in the smallest drill that shows it.\n",
    );
    text
}

fn cell(story: &DrillStory<'_>, over: Over) -> String {
    match over {
        Over::NotApplicable => "n/a".to_owned(),
        Over::NotExercised => "-".to_owned(),
        Over::Held { .. } => "held".to_owned(),
        Over::Violated { drill, .. } => format!("**violated** {}", story.faults(drill)),
    }
}

fn list_of_drills(story: &DrillStory<'_>) -> String {
    let mut text =
        "\n## Drills\n\n| drill | things that go wrong | what happens |\n|---|---:|---|\n".to_owned();
    for (index, drill) in story.drills.iter().enumerate() {
        text.push_str(&format!("| `{}` | {} | {} |\n", drill.origin, story.faults(index), drill.title));
    }
    text
}

fn section(story: &DrillStory<'_>, row: &DrillRow) -> String {
    let preset = &row.preset;
    let mut text = format!(
        "\n### {}\n\n{}. Source: {}.\n\n{}\n\n",
        preset.name,
        preset.title,
        preset.source.join("; "),
        preset.why
    );
    if !preset.assumed.is_empty() {
        text.push_str(&format!("Assumed: {}.\n\n", preset.assumed.join("; ")));
    }
    text.push_str("| oracle | ends | smallest known plan |\n|---|---|---|\n");
    for (oracle, name) in OracleName::TEXTS {
        let (ends, shown) = match row.over(oracle) {
            Over::NotApplicable => ("n/a", String::new()),
            Over::NotExercised => ("not exercised", String::new()),
            Over::Held { drills } => ("held", format!("in {drills} drills")),
            Over::Violated { drill, seed, .. } => {
                ("violated", format!("`{}`", story.repro(row, drill, seed)))
            }
        };
        text.push_str(&format!("| {name} | {ends} | {shown} |\n"));
    }
    let vain = vain(story, row);
    if !vain.is_empty() {
        text.push_str(&format!(
            "\nIn some run of these drills nobody is ever granted the lock: `{}`.\n",
            vain.join("`, `")
        ));
    }
    text.push_str(&format!("\nTo be safe: {}\n", preset.advice));
    for line in trouble(story, row) {
        text.push_str(&format!("\nNot judged: {line}.\n"));
    }
    text
}
