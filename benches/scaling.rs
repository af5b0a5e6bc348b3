//! How the cost of a schedule grows with its length, its clients and its nodes.
//!
//! Each point prints events per second, so a curve that stays level is linear growth: the cost of an event does not
//! depend on how many came before or how much stands around. Must not judge speed: machines differ, compare points.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fencepost::check::WitnessName;
use fencepost::scenario::{Scenario, parse};
use fencepost::sim::{Explorer, Keep};
use std::hint::black_box;
use std::time::Duration;

/// One point of a curve.
#[derive(Clone, Copy)]
struct Point {
    clients: u32,
    nodes: u32,
    cycles: u32,
}

/// The point that lies on all three curves.
const MIDDLE: Point = Point { clients: 2, nodes: 5, cycles: 3 };

impl Point {
    fn scenario(self) -> Scenario {
        let Self { clients, nodes, cycles } = self;
        let text = format!(
            r#"
format = 1
title  = "a point of a scaling curve"
claim  = "Nothing goes wrong."
source = ["the bench itself"]

[run]
seed      = 1
limit_ms  = 4_000_000
settle_ms = 25_000

[deployment]
topology    = "independent"
nodes       = {nodes}

[lock.redlock]
like   = "spec"
ttl_ms = 10_000

[clients]
count    = {clients}

[clients.workload.hold]
cycles      = {cycles}
work_ms     = 100
patience_ms = 3_000_000
holder      = "never"

[network]
latency_us = {{ p0 = 200, p50 = 500, p99 = 2_000, p100 = 5_000 }}
"#
        );
        parse("bench-scaling", &text).expect("the point is a scenario")
    }
}

/// Events of a mean schedule, after checking that every client got all its sections.
fn mean_events(explorer: &Explorer<'_>, point: Point) -> u64 {
    let seeds = 10;
    let mut events = 0;
    for seed in 0..seeds {
        let result = explorer.run(seed, Keep::Nothing);
        let grants = result.witnesses.of(WitnessName::Grants);
        assert_eq!(grants, u64::from(point.clients * point.cycles), "every client, every cycle; seed {seed}");
        events += result.events;
    }
    events / seeds
}

fn curve(criterion: &mut Criterion, name: &str, points: &[(u32, Point)]) {
    let mut group = criterion.benchmark_group(format!("scaling/{name}"));
    group.measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_secs(1)).sample_size(10);
    for (at, point) in points {
        let scenario = point.scenario();
        let explorer = Explorer::new(&scenario);
        let events = mean_events(&explorer, *point);
        group.throughput(Throughput::Elements(events));
        let mut seed = 0;
        group.bench_function(BenchmarkId::from_parameter(format!("{at} ({events} events)")), |bencher| {
            bencher.iter(|| {
                seed += 1;
                black_box(explorer.run(seed, Keep::Nothing).digest)
            });
        });
    }
    group.finish();
}

fn scaling(criterion: &mut Criterion) {
    let length = [3, 12, 48, 192].map(|cycles| (cycles, Point { cycles, ..MIDDLE }));
    let clients = [1, 2, 4, 8, 16].map(|clients| (clients, Point { clients, ..MIDDLE }));
    let nodes = [1, 3, 5, 9, 15].map(|nodes| (nodes, Point { nodes, ..MIDDLE }));
    curve(criterion, "cycles", &length);
    curve(criterion, "clients", &clients);
    curve(criterion, "nodes", &nodes);
}

criterion_group!(benches, scaling);
criterion_main!(benches);
