//! The reference case: how many schedules and events per second, with Lua, monitors and digest on.
//!
//! Two clients contend for a Redlock over five nodes, three cycles each. A number counts only while the case stays
//! this size, so it is checked first. Must not judge speed: machines differ, compare ratios.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fencepost::scenario::{Scenario, parse};
use fencepost::sim::{Explorer, Keep};
use std::hint::black_box;
use std::time::Duration;

const CASE: &str = r#"
format = 1
title  = "reference case of the bench"
claim  = "Nothing goes wrong."
source = ["the reference case itself"]

[run]
seed      = 1
limit_ms  = 120_000
settle_ms = 25_000

[deployment]
topology    = "independent"
nodes       = 5
persistence = "none"
compat      = "7.2"

[lock.redlock]
like            = "spec"
ttl_ms          = 10_000
node_timeout_ms = 50

[clients]
count    = 2
start_ms = 0

[clients.workload.hold]
cycles      = 3
work_ms     = 100
writes      = 1
patience_ms = 20_000
ack         = "await"
holder      = "never"
think_ms    = 0

[store]
mode = "plain"

[network]
latency_us = { p0 = 200, p50 = 500, p99 = 2_000, p100 = 5_000 }
"#;

/// Events of a mean schedule, after checking that the case is what it says it is.
fn mean_events(explorer: &Explorer<'_>, scenario: &Scenario) -> u64 {
    let seeds = 100;
    let mut events = 0;
    for seed in 0..seeds {
        let result = explorer.run(seed, Keep::Nothing);
        let grants = result.witnesses.of(fencepost::check::WitnessName::Grants);
        assert_eq!(grants, 6, "two clients, three cycles; seed {seed}");
        assert!(result.violations.is_empty(), "seed {seed} of {} violates something", scenario.name);
        events += result.events;
    }
    events / seeds
}

fn reference(criterion: &mut Criterion) {
    let scenario = parse("bench-reference", CASE).expect("the case is a scenario");
    let explorer = Explorer::new(&scenario);
    let events = mean_events(&explorer, &scenario);
    let mut group = criterion.benchmark_group("reference");
    group.measurement_time(Duration::from_secs(5)).sample_size(30);
    let mut seed = 0;
    for (name, throughput) in
        [("schedules", Throughput::Elements(1)), ("events", Throughput::Elements(events))]
    {
        group.throughput(throughput);
        group.bench_function(format!("{name} ({events} events each)"), |bencher| {
            bencher.iter(|| {
                seed += 1;
                black_box(explorer.run(seed, Keep::Nothing).digest)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, reference);
criterion_main!(benches);
