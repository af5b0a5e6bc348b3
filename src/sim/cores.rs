//! The cores that a scenario's policies name.

use crate::lock::Core;
use crate::world::Setup;
use std::sync::Arc;

/// One core per client, in order.
pub fn cores(setup: &Setup) -> Vec<Core> {
    let core = |client: &crate::world::ClientSetup| Core::new(Arc::clone(&client.policy), setup.key.clone());
    setup.clients.iter().map(core).collect()
}
