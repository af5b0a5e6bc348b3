//! The world that a core of any kind is proved in: the scope's, with what the core says of itself.
//!
//! A world wants nothing of a policy but the clock that its faults act on; everything else it asks the core. Must not
//! guess: a core whose times are not those of the scope is refused, for its promises would not end on ticks.

use crate::lock::{CoreTraits, KeyRole, Policy, Protocol, Ttl};
use crate::prove::Scope;
use crate::world::Setup;

/// The world.
///
/// # Panics
/// If the core does not fit the scope.
pub(super) fn world(scope: &Scope, traits: &CoreTraits) -> Setup {
    fit(scope, traits);
    let policy = Policy::spec(Protocol::Redlock, traits.voters, traits.ttl);
    let policy = Policy {
        quorum: traits.quorum,
        clock: traits.clock,
        basis: traits.basis.unwrap_or(policy.basis),
        ..policy
    };
    let mut setup = scope.setup(policy);
    if let Some(hold) = traits.keys.iter().find(|key| key.role == KeyRole::Hold) {
        setup.key = hold.key.clone();
    }
    setup
}

fn fit(scope: &Scope, traits: &CoreTraits) {
    // Who asks nobody has no times.
    if traits.quorum == 0 {
        return;
    }
    let name = traits.protocol;
    assert_eq!(
        traits.voters, scope.nodes,
        "{name} asks {} voters, and the scope has {} nodes",
        traits.voters, scope.nodes
    );
    let life = scope.key_life();
    if let Ttl::Of(ttl) = traits.ttl {
        assert_eq!(
            ttl, life,
            "keys of {name} live for {ttl}; in a scope with ttl: {} they must live for {life} (Scope::key_life)",
            scope.ttl
        );
    }
    let limit = scope.request_limit();
    assert_eq!(
        traits.node_timeout, limit,
        "{name} waits {} for an answer; in a scope with node_timeout: {} it must wait {limit} (Scope::request_limit)",
        traits.node_timeout, scope.node_timeout
    );
}
