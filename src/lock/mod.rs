//! Sans-IO lock cores: what a library does, as a value that takes facts and returns duties.
//!
//! Must not read a clock, draw a random number or do I/O: time, nonces and jitter are inputs. `contract.rs` is
//! the interface that a user's own core implements too; `policy.rs` the switches of the shipped cores;
//! `scripts/` the Lua text, one copy each.

mod contract;
mod core;
mod none;
mod policy;
mod quorum;

pub use self::core::Core;
pub use contract::{
    Caller, ConnectionId, CoreTraits, Draw, ExtendFailure, Found, Input, KeyRole, Label, LinkState, LockCore,
    LockKey, LossReason, Output, RefuseReason, Released, RequestId, Ttl, UnknownReason, Until, WakeReason,
};
pub use none::NoLock;
pub use policy::{
    Asking, Basis, Counting, Drift, Extension, Fence, NonceLife, OnError, OnLoss, Policy, PolicyError,
    Protocol, Release, ReleaseScope, Renewal, Retry, Soundness, Taking, Validity, Wait, WaitFor,
};
pub use quorum::Quorum;
