//! The report, as text.
//!
//! Numbers come from runs; what a crate states, what is assumed and what a find means come from its adapter and from the
//! claims of kept schedules.

use crate::adapters::{ALL, Published, redis_lock};
use crate::exhibit::Exhibit;
use crate::given_up;
use crate::survey::{self, Cell, Count, PROFILES, Row, SEEDS, Surveyed};
use fencepost::check::{OracleName, Outcome};
use fencepost::report::{Length, Story, sentence, timeline};
use std::collections::BTreeSet;
use std::fmt::Write;

pub(crate) fn report(surveys: &[Surveyed]) -> String {
    let mut text = head();
    text.push_str(&ran());
    text.push_str(&seen(surveys));
    let (defaults, given_up) = std::thread::scope(|scope| {
        let defaults = scope.spawn(defaults);
        let given_up = given_up();
        (defaults.join().expect("no panic"), given_up)
    });
    text.push_str(&defaults);
    text.push_str(&given_up);
    text.push_str(&exhibits(surveys));
    text.push_str(LEFT_OUT);
    text
}

fn head() -> String {
    let (version, from, to) = (env!("CARGO_PKG_VERSION"), SEEDS.start, SEEDS.end - 1);
    format!(
        "# Published lock crates, unmodified

Made by `cargo run --example crates` of fencepost {version}: every crate under every profile of the comparison
with seeds {from} to {to}, each run made twice with the same digest.

## How to reproduce

```sh
cargo run --example crates                                # writes this file
cargo run --example crates -- show rds_lock failover 3    # tells one run: crate, profile, seed
cargo test --test crates                                            # the kept schedules below
```

The frames are `scenarios/crates/{{renewed,renewed-replica,five,three-groups}}.toml`: three clients, two sections each, with the
lengths of the comparison's table, one write at the end of each, awaited. Plans are those of the comparison: what befalls
`client-2` or `node-1` under a seed befalls it in every frame. Work is as long as the shipped lock's under the same seed.

"
    )
}

fn ran() -> String {
    let mut text = String::from(
        "## What ran

Each crate as it is in the registry, compiled as a dependency of the tests: its code, its timers and the Redis client that it
is written for. Clocks are those of the simulated process, and bytes go over the simulated network: for crates that take a
connection as streams of it, opened when first used and again by the command after the one that found it broken; for those
that connect by themselves through a socket behind which such a stream begins, by their own logic. There are no time limits
that neither the crate nor its client has by default. A message that a black hole swallows leaves its connection silent from then
on, as where a middlebox has forgotten it; that it is broken nobody is told.

| crate | what it is | what it states | what is assumed |
|---|---|---|---|
",
    );
    for Published { name, version, about, stated, assumed, .. } in ALL {
        let _ = writeln!(text, "| `{name}` {version} | {about} | {stated} | {assumed} |");
    }
    text.push_str(DETERMINISM);
    text
}

fn seen(surveys: &[Surveyed]) -> String {
    let mut text = String::from(HOW_TO_READ);
    for (profile, unfit) in PROFILES {
        if let Some(why) = unfit {
            let _ = writeln!(text, "`{profile}` is *n/a*: {why}.\n");
        }
    }
    for Surveyed { published, rows } in surveys {
        let oracles: BTreeSet<OracleName> = rows.iter().flat_map(|row| row.cells.keys().copied()).collect();
        let names: Vec<String> = oracles.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "### {} {}\n", published.name, published.version);
        let _ = writeln!(text, "| profile | frame | {} |", names.join(" | "));
        let _ = writeln!(text, "|---|---|{}", "---|".repeat(names.len()));
        for Row { profile, frame, cells } in rows {
            let cells: Vec<String> = oracles.iter().map(|oracle| cell(cells.get(oracle))).collect();
            let _ = writeln!(text, "| `{profile}` | {} | {} |", frame.name, cells.join(" | "));
        }
        text.push('\n');
    }
    text
}

fn cell(cell: Option<&Cell>) -> String {
    match cell {
        None => "n/a".to_owned(),
        Some(Cell { published: Count { exercised: 0, .. }, .. }) => "–".to_owned(),
        Some(Cell { published: Count { exercised, violated: 0 }, .. }) => format!("held {exercised}"),
        Some(Cell { published: Count { exercised, violated }, shipped, .. }) => {
            let Count { exercised: of, violated: broken } = shipped;
            format!("**{violated} of {exercised}** (shipped {broken} of {of})")
        }
    }
}

/// What a TTL shorter than a round trip comes to.
fn defaults() -> String {
    let Row { cells, .. } = survey::row(&redis_lock::DEFAULTS, "calm", false);
    let broken = cells.iter().filter(|(_, cell)| cell.published.violated > 0);
    let broken: Vec<String> = broken
        .map(|(oracle, cell)| format!("{oracle} {} of {}", cell.published.violated, cell.published.exercised))
        .collect();
    format!(
        "### redis-lock as it comes\n\nIts options say `ttl: 10 ms` unless one is given, and its documentation says so. Under `calm`, \
         in the same frame with the same work: {}. Everything else held or was not exercised.\n\n",
        broken.join(", ")
    )
}

fn given_up() -> String {
    let mut text = String::from(GIVEN_UP);
    for published in ALL {
        if !published.gives_up {
            let _ =
                writeln!(text, "| `{}` | – | – | n/a: its call blocks, and has no awaits |", published.name);
            continue;
        }
        for (index, given_up) in given_up::all(published).iter().enumerate() {
            let leak = match given_up.leaked {
                Some(false) => "held",
                Some(true) => "**violated**",
                None => "not exercised",
            };
            let number = index + 1;
            let next = given_up
                .next_grant
                .map_or_else(|| "never in this run".to_owned(), |wait| format!("{} ms", wait / 1_000));
            let _ = writeln!(text, "| `{}` | {number} | {leak} | {next} |", published.name);
        }
    }
    text.push('\n');
    text
}

fn exhibits(surveys: &[Surveyed]) -> String {
    let mut text = String::from(
        "## What breaks, once each\n\nThe smallest schedule that was found for each crate and oracle. \"Shipped\" is the lock of \
         the frame by the specification (`spec`), under the very same plan and seed.\n",
    );
    for Surveyed { published, rows } in surveys {
        let oracles: BTreeSet<OracleName> = rows.iter().flat_map(Row::broken).collect();
        for oracle in oracles {
            text.push_str(&exhibit(published, rows, oracle, Length::Short));
        }
    }
    text
}

/// All schedules that are kept.
pub(crate) fn kept(length: Length) -> String {
    let all = ALL
        .iter()
        .flat_map(|published| OracleName::TEXTS.iter().map(move |(oracle, _)| (published, *oracle)));
    all.filter_map(|(published, oracle)| {
        Exhibit::of(published, oracle).map(|_| exhibit(published, &[], oracle, length))
    })
    .collect()
}

fn exhibit(published: &Published, rows: &[Row], oracle: OracleName, length: Length) -> String {
    let Published { name, version, .. } = published;
    let Some(exhibit) = Exhibit::of(published, oracle) else {
        return format!("\n### {name} {version}: {oracle}\n\nNo schedule is kept.\n");
    };
    let story = Story { scenario: &exhibit.scenario, result: &exhibit.result };
    let cells = || rows.iter().filter_map(|row| row.cells.get(&oracle));
    let sum = |count: fn(&Cell) -> Count| {
        cells().map(count).fold((0, 0), |(k, n), count| (k + count.violated, n + count.exercised))
    };
    let ((k, n), (spec_k, spec_n)) = (sum(|cell| cell.published), sum(|cell| cell.shipped));
    let cause = match exhibit.shipped {
        Outcome::Violated(_) => "**Not this crate alone**: the shipped lock violates it too",
        Outcome::Held => "The shipped lock holds it",
        Outcome::NotExercised | Outcome::NotApplicable => "The shipped lock does not come to be judged by it",
    };
    format!(
        "\n### {name} {version}: {oracle}\n\n{}\n\n{cause} under the very same plan and seed. Over all profiles the crate violates it in {k} of {n} \
         runs that exercise it, the shipped lock in {spec_k} of {spec_n}.\n\n`{}`\n\n```text\n{}\n\n{}```\n",
        exhibit.scenario.claim,
        exhibit.path,
        sentence(story),
        timeline(story, length)
    )
}

const DETERMINISM: &str = "
Nonces are drawn from entropy: those of `rds_lock`, `async-redis-lock`, `rlock`, `redis-lock` (`uuid`) and `rslock` (`rand` 0.9)
from the simulated process, those of `redsync` and `distributed-lock-redis` (`rand` 0.8) from the machine itself, so they differ
from run to run. Digests do not contain them and are the same. `redsync` draws its pause between attempts there as well: with
more than one attempt per call it is not deterministic here. Its instances are the adapter's, after its own: the algorithm is the
crate's, the limit of 100 ms for a whole command is not, and *leak* under slow networks follows from that limit.

";

const HOW_TO_READ: &str = "## What was seen

`held 20`: exercised in 20 runs and held in all; **3 of 20**: violated in 3 of the 20 runs that exercised it, and in brackets the
same of the shipped lock of the frame under the same plans and seeds; –: not exercised in any run; n/a: cannot be judged.
*stuck* and *unavailable* need a longest time of a call: `rds_lock` and `distributed-lock-redis` have one (1.002 s); the 1 s of
`async-redis-lock` does not bound its last command. *silent-loss* needs a lock that renews.
*leak* and *silent-loss* also rest on the time for one node, which is the crate's or its client's where there is one, and else that
of the frame's lock. The shipped lock is judged by
its own times, so these cells of the two are not one measure. A rate is relative to its profile and says
nothing about production; no violation in so many runs is no proof.

";

const GIVEN_UP: &str = "## Calls that are given up

The future of `client-1`'s first call is dropped at its N-th await, as by a timeout around it, where nothing else goes wrong.
*leak* asks whether the key of this call still blocks others two node timeouts and the longest latency after it was given up,
or after the last request that left the process behind that; it is not exercised where the call wrote no key, or nothing that
could be judged.

| crate | dropped at await | leak | until the next grant |
|---|---|---|---|
";

const LEFT_OUT: &str = "
## What was left out, and what no oracle says

`rslock` 0.10, the newest, waits by `futures-timer` (its `Cargo.toml`), which keeps a thread of its own and real time; 0.7.4 waits by
tokio. `redlock` 2.0 and the connections of `redsync` itself are sockets that block a thread, which no virtual clock moves.
`redlock-async` 0.0.3, `a-mutex` 0.1.2 (tokio, on redis-rs 0.21) and `rust_redlock` were not tried. Their algorithms are presets
(`fencepost list`), which are written after their source and are not their code.

Given addresses, `distributed-lock-redis` waits until each of its clients is connected, so under `nodes-down-1` and `nodes-down-2`
nobody is granted, and after a node was down its clients do not connect again. It also takes clients that the caller made; those
were not tried. `cargo test --test crates` pins both, and what becomes of its `release` then.
";
