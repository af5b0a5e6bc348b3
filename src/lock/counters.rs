//! The numbers that a core gives to its requests and operations.
//!
//! Must not decide anything: numbers name things, and nothing else depends on them.

use crate::canon::{Canon, IdKind};
use crate::lock::RequestId;
use crate::name::{ClientId, Operation};

/// The last numbers given out, 0 before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::lock) struct Counters {
    pub(in crate::lock) requests: u32,
    attempts: u32,
    extensions: u32,
    releases: u32,
    checks: u32,
}

impl Counters {
    pub(in crate::lock) const ZERO: Self =
        Self { requests: 0, attempts: 0, extensions: 0, releases: 0, checks: 0 };

    /// The next number of an operation of this kind.
    pub(in crate::lock) fn next(&mut self, operation: Operation) -> u32 {
        let last = match operation {
            Operation::Acquire => &mut self.attempts,
            Operation::Extend => &mut self.extensions,
            Operation::Release => &mut self.releases,
            Operation::Check => &mut self.checks,
            Operation::Aside => unreachable!("a core sends nothing outside of its operations"),
        };
        *last = last.checked_add(1).unwrap_or(1);
        *last
    }

    /// The next request.
    pub(in crate::lock) fn request(&mut self) -> RequestId {
        self.requests = self.requests.checked_add(1).unwrap_or(1);
        RequestId(self.requests)
    }

    /// To be called when every number in use has been visited.
    pub(in crate::lock) fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        canon.counter(IdKind::Request(client), &mut self.requests);
        canon.counter(IdKind::Operation(client, Operation::Acquire), &mut self.attempts);
        canon.counter(IdKind::Operation(client, Operation::Extend), &mut self.extensions);
        canon.counter(IdKind::Operation(client, Operation::Release), &mut self.releases);
        canon.counter(IdKind::Operation(client, Operation::Check), &mut self.checks);
    }
}
