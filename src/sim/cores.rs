//! The cores of a run: those that a scenario's policies name, or somebody's own on the same terms.

use crate::lock::{Core, LockCore, Terms};
use crate::name::ClientId;
use crate::world::Setup;

/// Makes the cores of a run, one per client, in order.
pub type Make<'a, C> = &'a (dyn Fn(&Setup) -> Vec<C> + Sync);

/// One shipped core per client, in order.
pub fn cores(setup: &Setup) -> Vec<Core> {
    let core = |client: &crate::world::ClientSetup| Core::of(&client.lock, setup.key.clone());
    setup.clients.iter().map(core).collect()
}

/// One core of somebody's own per client, in order, made from the terms on which the client is to lock.
pub fn own_cores<C: LockCore>(setup: &Setup, make: impl Fn(&Terms) -> C) -> Vec<C> {
    terms(setup).iter().map(make).collect()
}

/// The terms of every client, in order.
pub fn terms(setup: &Setup) -> Vec<Terms> {
    let voters = u8::try_from(setup.nodes.len()).expect("a deployment has at most 255 voters");
    let clients = setup.clients.iter().enumerate();
    let terms =
        clients.map(|(id, client)| Terms::of(&client.lock, ClientId(id as u16), setup.key.clone(), voters));
    terms.collect()
}
