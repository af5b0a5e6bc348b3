//! `prove MODEL --explorer`: one model as a graph to walk through, in stateright's Explorer on this machine.
//!
//! Must not be reachable from elsewhere: the Explorer asks nobody who he is.

use super::args::ProveArgs;
use super::failure::Failure;
use super::load::Loaded;
use super::lock::Lock;
use super::prove::threads;
use super::{Answer, Exit, write};
use crate::lock::LockCore;
use crate::prove::{Explorable, Question, ScopeModel};
use crate::report::explored_text;
use std::io;
use std::net::{SocketAddr, TcpListener};

/// Serves until the process is ended; returns only if it cannot.
pub(super) fn explore<C: LockCore>(
    args: &ProveArgs,
    address: SocketAddr,
    lock: &Lock<'_, C>,
) -> Result<Answer, Failure> {
    let loaded = lock.models(&args.models)?;
    let [Loaded { model, .. }] = loaded.as_slice() else {
        return Ok(refused(&format!("--explorer shows one model, and {} are named", loaded.len())));
    };
    // The Explorer's own server panics where it cannot listen; port 0 means any that is free.
    let free = TcpListener::bind(address).and_then(|listener| listener.local_addr());
    let address = match free {
        Ok(address) => address,
        Err(error) => return Ok(refused(&format!("failed to listen at {address}: {error}"))),
    };
    let setup = model.scope.setup(model.policy.clone());
    let cores = (lock.make)(&setup);
    let oracles: Vec<_> = model.expect.iter().map(|(oracle, _)| *oracle).collect();
    let graph = ScopeModel::new(model.scope, model.menu.clone(), setup, cores, &oracles, Question::Violated);
    let told = format!("{} is shown at http://{address}/ until Ctrl-C\n", model.name);
    // Whoever does not read where it is shown asked for a place.
    let _ = write(&mut io::stderr().lock(), &told);
    Explorable::new(graph, explored_text).serve(address, threads(args));
    Ok(refused("the Explorer has ended"))
}

fn refused(why: &str) -> Answer {
    Answer { out: String::new(), err: format!("{why}\n"), exit: Exit::Input }
}
