//! The prover: how many states per second, with everything that a state holds cloned, stepped, judged, put into
//! canonical form and hashed.
//!
//! A number counts only while the scope has the states that `tests/prove.rs` pins, so that is checked on every run.
//! Must not judge speed: machines differ, compare ratios.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use fencepost::check::OracleName;
use fencepost::lock::{Policy, Protocol, Ttl};
use fencepost::prove::graph::Marks;
use fencepost::prove::search::{Fingerprinter, Graph, Keep, Limits, Search};
use fencepost::prove::{Menu, Question, Scope, ScopeModel, State};
use fencepost::sim::cores;
use fencepost::time::Span;
use stateright::{Checker, Model};
use std::ops::ControlFlow;

/// Two clients whose leases run out, as in `tests/prove.rs`.
fn model(protocol: Protocol, nodes: u8) -> ScopeModel<fencepost::lock::Core> {
    let scope = Scope { node_timeout: 2, work: 4, ..Scope::small(nodes) };
    let setup = scope.setup(Policy::spec(protocol, nodes, Ttl::Of(Span::from_ms(1))));
    let cores = cores(&setup);
    ScopeModel::new(scope, Menu::none(), setup, cores, &[OracleName::PromiseOverlap], Question::Violated)
}

fn exhaust(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exhaust");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for (name, protocol, nodes, states) in
        [("single", Protocol::Single, 1, 1_982), ("redlock-2", Protocol::Redlock, 2, 118_131)]
    {
        let model = model(protocol, nodes);
        group.throughput(Throughput::Elements(states));
        for threads in [1, 2] {
            let search = Search { threads, wanted: Marks::NONE, limits: Limits::NONE, keep: Keep::Paths };
            group.bench_function(format!("{name} ({states} unique states, {threads} threads)"), |bencher| {
                bencher.iter(|| {
                    let found = search.run(&model, |_| ControlFlow::Continue(()));
                    assert_eq!(u64::from(found.states()), states, "the pinned scope");
                    found.generated()
                });
            });
        }
        group.bench_function(format!("{name} (stateright, 2 threads)"), |bencher| {
            bencher.iter(|| {
                let checker = model.clone().checker().threads(2).spawn_bfs().join();
                assert_eq!(checker.unique_state_count() as u64, states, "the pinned scope");
                checker.state_count()
            });
        });
    }
    group.finish();
}

/// States of the graph, in the order of a fixed walk.
fn sample(model: &ScopeModel<fencepost::lock::Core>) -> Vec<State<fencepost::lock::Core>> {
    let mut states = model.starts();
    let mut steps = Vec::new();
    while states.len() < 200 {
        model.expand(&states[states.len() - 1], &mut steps);
        let place = states.len() * 7 % steps.len();
        states.push(steps.drain(..).nth(place).expect("a place among them").1.state);
    }
    states
}

/// Where the time of a state goes: a part at a time, over all states of the sample.
fn parts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parts of a state, redlock-2");
    let model = model(Protocol::Redlock, 2);
    let states = sample(&model);
    group.throughput(Throughput::Elements(states.len() as u64));
    group.bench_function("clone and drop", |bencher| bencher.iter(|| states.clone()));
    group.bench_function("canonical form, with a clone", |bencher| {
        bencher.iter(|| {
            let mut systems: Vec<_> = states.iter().map(|state| state.system.clone()).collect();
            systems.iter_mut().for_each(|system| {
                system.canonical([], |_| {});
            });
            systems
        });
    });
    group.bench_function("fingerprint", |bencher| {
        let mut fingerprints = Fingerprinter::new();
        bencher.iter(|| states.iter().fold(0, |sum, state| sum ^ fingerprints.of(state)));
    });
    group.bench_function("all successors: choices, steps, judging, canonical form", |bencher| {
        let mut steps = Vec::new();
        bencher.iter(|| {
            states
                .iter()
                .map(|state| {
                    model.expand(state, &mut steps);
                    steps.drain(..).count()
                })
                .sum::<usize>()
        });
    });
    group.finish();
}

criterion_group!(benches, exhaust, parts);
criterion_main!(benches);
