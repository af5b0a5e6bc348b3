//! The prover: how many states per second, with everything that a state holds cloned, stepped, judged, put into
//! canonical form and hashed.
//!
//! A number counts only while the scope has the states that `tests/prove.rs` pins, so that is checked on every run.
//! Must not judge speed: machines differ, compare ratios.

use bytes::Bytes;
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use fencepost::check::OracleName;
use fencepost::lock::{Core, Policy, Protocol, Ttl};
use fencepost::prove::{Question, Scope, ScopeModel};
use fencepost::time::Span;
use fencepost::world::Holder;
use stateright::{Checker, Model};
use std::sync::Arc;

/// Two clients whose leases run out, as in `tests/prove.rs`.
fn model(protocol: Protocol, nodes: u8) -> ScopeModel<Core> {
    let (ttl, margin, node_timeout, delay, work) = (4, 1, 2, 1, 4);
    let scope = Scope { clients: 2, nodes, ttl, margin, node_timeout, delay, work, holder: Holder::Leaves };
    let setup = scope.setup(Policy::spec(protocol, nodes, Ttl::Of(Span::from_ms(1))));
    let core = |client: &fencepost::world::ClientSetup| {
        Core::new(Arc::clone(&client.policy), Bytes::clone(&setup.key))
    };
    let cores = setup.clients.iter().map(core).collect();
    ScopeModel::new(scope, setup, cores, OracleName::PromiseOverlap, Question::Violated)
}

fn exhaust(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exhaust");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for (name, protocol, nodes, states) in
        [("single", Protocol::Single, 1, 1_965), ("redlock-2", Protocol::Redlock, 2, 117_910)]
    {
        let model = model(protocol, nodes);
        group.throughput(Throughput::Elements(states));
        group.bench_function(format!("{name} ({states} unique states, 2 threads)"), |bencher| {
            bencher.iter(|| {
                let checker = model.clone().checker().threads(2).spawn_bfs().join();
                assert_eq!(checker.unique_state_count() as u64, states, "the pinned scope");
                checker.state_count()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, exhaust);
criterion_main!(benches);
