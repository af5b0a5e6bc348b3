//! A comparison as a file to keep: every oracle that applies anywhere, with intervals and first seeds.
//!
//! The same bytes wherever and however often it is made.

use super::compare::{CompareStory, is_shipped, span, tally};
use super::words::human;
use crate::check::OracleName;
use crate::sim::{Cell, Tally};
use crate::stats::Ratio;
use crate::time::Span;

/// The file.
pub fn compare_markdown(story: CompareStory<'_>) -> String {
    let mut text = opening(story);
    for oracle in story.oracles() {
        text.push_str(&format!("\n## {oracle}\n\n{}.\n\n", meaning(oracle)));
        text.push_str(&grid(story, |row, column, cell| oracle_cell(story, (row, column), cell, oracle)));
    }
    text.push_str(&acquire(story));
    text
}

fn opening(story: CompareStory<'_>) -> String {
    let (comparison, seeds) = (story.comparison, story.compared.seeds);
    let rows: String =
        comparison.rows.iter().map(|row| format!("| `{}` | {} |\n", row.name, row.title)).collect();
    let columns: String = comparison
        .columns
        .iter()
        .map(|column| format!("| {} | `{}` | {} |\n", column.name, column.address, column.title))
        .collect();
    let place = if is_shipped(comparison) {
        "the shipped table (`scenarios/compare/default.toml`)".to_owned()
    } else {
        format!("`{}`", comparison.origin)
    };
    format!(
        "# {title}\n\n{claim} Made by `{command}` of fencepost {version} from {place}: {runs} runs per cell, seeds \
         {seeds}, the same for every cell.\n\n\
         ## How to read it\n\n\
         A row is a lock and its deployment, a column a *profile*, a distribution of faults. All rows face the same \
         plans: what befalls `client-2` or `node-1` under one seed befalls it in every row. A cell says in how many \
         runs the oracle was violated, out of those that exercised it; then the exact (Clopper-Pearson) 95 % interval \
         of that share, rounded outwards; then the first seed that shows a violation. `-` means that no run exercised \
         the oracle, which is no evidence of anything; `n/a` that nothing of the profile can hit the row, or that the \
         oracle cannot arise in it. Each interval covers 95 %, not all of them jointly. The line\n\n\
         ```sh\ncargo run --release -- run {origin}:ROW --profile PROFILE --seed SEED\n```\n\n\
         shows any run with its timeline, and `hunt` in place of `run` takes more seeds of a cell. The first \
         violation of each oracle in a cell, and one run in twenty, was run twice before it was counted here.\n\n\
         ## What it does not say\n\n\
         - How often a lock fails in production: every rate is relative to the profile of its column, which is more \
         hostile than most days, and to the workload of the table.\n\
         - That a cell with 0 violations is safe: it says that none was seen in so many runs, and the interval how \
         much that is worth. Proofs in small scopes are another command's task.\n\
         - That every run met a fault: a profile may spare what a row has. Under `nodes-down-1` a row of one node is down in \
         one run in five, is granted nothing there, and exercises nothing; the others have no fault at all.\n\
         - That a lock with fewer violations is better: one that is granted less often has fewer chances to fail. \
         Success, latency and orders stand at the end.\n\
         - Which of two rows is worse where their intervals meet: `compare --pair` compares them plan by plan.\n\
         - Anything about holders that look at their deadline: here they never do, as most code does not, and a \
         quarter of the holds goes on beyond the promised end. So sections overlap without any fault.\n\n\
         ## Rows\n\n| row | lock |\n|---|---|\n{rows}\n## Columns\n\n| column | profile | faults |\n|---|---|---|\n{columns}",
        title = comparison.title,
        claim = comparison.claim,
        command = story.command,
        version = env!("CARGO_PKG_VERSION"),
        runs = seeds.count(),
        origin = comparison.origin,
    )
}

/// One sentence without its full stop.
fn meaning(oracle: OracleName) -> &'static str {
    match oracle {
        OracleName::PromiseOverlap => "Two clients were promised the lock at once: the lock itself lied",
        OracleName::PromiseEmpty => "A grant or an extension ended no later than it was decided",
        OracleName::PromiseUnbacked => "Inside a promise a rival could have won a quorum",
        OracleName::SectionOverlap => "Two clients were inside the section at once",
        OracleName::StaleWrite => "The store accepted a write of an older grant after one of a newer grant",
        OracleName::ValidWriteRefused => {
            "The store refused a holder inside its promise without a newer grant"
        }
        OracleName::LostUpdate => "Stock and orders no longer add up: something was sold twice",
        OracleName::FenceOrder => "Fences did not rise with grants",
        OracleName::ForeignChange => "A live hold was changed or removed on behalf of another call",
        OracleName::Continuity => "An extension succeeded after another owner had been granted",
        OracleName::FalseRefusal => {
            "A caller was told that it does not hold, while a quorum carried its nonce"
        }
        OracleName::Orphan => "After all is quiet a key is left that nobody answers for",
        OracleName::Leak => "A caller that does not hold still blocked others after the bound",
        OracleName::Stuck => {
            "With no fault in force and nobody else asking, a willing client got no grant in time; slow messages and \
             missing replicas are no faults"
        }
        OracleName::Unavailable => {
            "With a quorum up and nobody else asking, a willing client got no grant in time"
        }
        OracleName::SilentLoss => "A holder that could have known was not told that its hold is gone",
        OracleName::Unfair => "A first-come lock was granted out of order",
        OracleName::HoldCount => "Holds in Redis differ from acquires minus releases",
    }
}

fn grid(story: CompareStory<'_>, cell: impl Fn(usize, usize, &Cell) -> String) -> String {
    let columns = &story.comparison.columns;
    let head: String = columns.iter().map(|column| format!(" {} |", column.name)).collect();
    let mut text = format!("| |{head}\n|---|{}\n", "--:|".repeat(columns.len()));
    for (index, row) in story.comparison.rows.iter().enumerate() {
        let cells: String = (0..columns.len())
            .map(|column| match story.cell(index, column) {
                Some(complete) => format!(" {} |", cell(index, column, complete)),
                None => " not run |".to_owned(),
            })
            .collect();
        text.push_str(&format!("| `{}` |{cells}\n", row.name));
    }
    text
}

fn oracle_cell(
    story: CompareStory<'_>,
    (row, column): (usize, usize),
    cell: &Cell,
    oracle: OracleName,
) -> String {
    debug_assert!(story.cell(row, column).is_some());
    let Some(tally) = tally(cell) else { return "n/a".to_owned() };
    let Some(oracle) = tally.oracles.get(&oracle).filter(|oracle| oracle.runs > 0) else {
        return "n/a".to_owned();
    };
    if oracle.exercised == 0 {
        return "-".to_owned();
    }
    let seed = oracle.first.map(|(seed, _)| format!("<br>seed {seed}")).unwrap_or_default();
    let interval = span(oracle.violated, oracle.exercised);
    format!("{} / {}<br>{interval}{seed}", oracle.violated, oracle.exercised)
}

fn acquire(story: CompareStory<'_>) -> String {
    let figure = |text: &dyn Fn(&Tally) -> String| {
        grid(story, |_, _, cell| tally(cell).map_or_else(|| "n/a".to_owned(), text))
    };
    let latency = |tally: &Tally, permille| {
        tally.latency.percentile(permille).map_or("-".to_owned(), |us| human(Span(us as i64)))
    };
    let grants = figure(&|tally| {
        let total = tally.calls.total();
        let share = Ratio::of(total.part, total.whole).map_or("-".to_owned(), Ratio::percent);
        format!("{} of {}<br>{share}", total.part, total.whole)
    });
    let times = figure(&|tally| format!("{}<br>{}", latency(tally, 500), latency(tally, 990)));
    let messages = figure(&|tally| {
        Ratio::of(tally.messages, tally.calls.total().whole).map_or("-".to_owned(), Ratio::plain)
    });
    let oversold = figure(&|tally| format!("{} in {}", tally.oversold, tally.oversold_runs));
    format!(
        "\n## Grants and success\n\nCalls of acquire that were granted; a call makes several attempts, and one that \
         finds the lock taken until it gives up is refused as it should be.\n\n{grants}\n\
         ## Latency\n\np50 and p99 of the simulated time from a granted call to its grant.\n\n{times}\n\
         ## Messages\n\nRequests to nodes per call of acquire, cleanup of failed attempts included, handshakes and \
         replies not.\n\n{messages}\n\
         ## Orders oversold\n\nSummed over all runs, and in how many runs.\n\n{oversold}"
    )
}
