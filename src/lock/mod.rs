//! Sans-IO lock cores: what a library does, as a value that takes facts and returns duties.
//!
//! Must not read a clock, draw a random number or do I/O: time, nonces and jitter are inputs. `contract.rs` is
//! the interface that a user's own core implements too; `policy/` the switches of the quorum core, `hash/policy.rs`
//! those of locks that count holds; `terms.rs` what any lock is asked for, `requests.rs` how it names what it sends;
//! `scripts/` the Lua text, one copy each.

mod constants;
mod contract;
mod core;
mod counters;
mod desk;
mod features;
mod hash;
pub mod multi;
mod none;
mod outside;
mod policy;
mod quorum;
mod recipe;
mod requests;
mod terms;
pub mod waiter;

pub use self::core::Core;
pub use contract::{
    Caller, ConnectionId, CoreTraits, Draw, ExtendFailure, Found, Hand, Input, KeyRole, Label, LinkState,
    LockCore, LockKey, LossReason, Output, RefuseReason, Released, RequestId, Stored, Ttl, UnknownReason,
    Until, WakeReason,
};
pub use desk::{Desk, Duty, OnTimeout};
pub use features::Feature;
pub use hash::{
    AfterError, HashLock, HashPolicy, HashPolicyError, HashProtocol, InnerLease, InnerRelease, Latch, Lease,
    LeaseRenewal, LifeUnit, NamedLease, Poll, ReentryLife, RenewedLife, Resend, Spin, Waiting,
};
pub use none::NoLock;
pub use outside::{Described, Recognised};
pub use policy::{
    AfterLast, Arithmetic, Asked, Asking, Basis, Cleanup, Counting, Deciding, Drift, DriftSign, Elapsed,
    Extension, ExtensionChecks, ExtensionMoves, ExtensionQuorumOf, ExtensionWithin, Fence, Growth, NonceLife,
    OnError, OnExtensionFailure, OnLoss, Pace, Policy, PolicyError, Protocol, QuorumOf, QuorumRule,
    Reacquire, Release, ReleaseKey, ReleaseScope, Renewal, RenewalOnRelease, RenewalRearm, RenewalRounding,
    Repair, Retry, Soundness, Start, Taking, TtlUnit, Validity, Wait, WaitFor, WhenLate,
};
pub use quorum::Quorum;
pub use recipe::Recipe;
pub use requests::Requests;
pub use terms::Terms;
