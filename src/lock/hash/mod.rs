//! The core of locks that store who holds how often: `reentrant`, `redisson` and `spin` differ only in their policies.
//!
//! The value is a hash of one field, the owner, and its count. `policy` has the switches, `machine` the inputs, `state`
//! the parts of a handle, `acquire`, `waiting`, `confirm`, `renewal` and `release` the transitions, `commands` what is
//! sent. Must not know the simulator. A holder that acquires again is granted again with the same nonce; each release
//! gives one hold back, and the promise ends with the last.

mod acquire;
mod canonical;
mod commands;
mod confirm;
mod listening;
mod machine;
mod policy;
mod release;
mod renewal;
mod state;
mod terms;
mod waiting;

pub use machine::HashLock;
pub use policy::{
    AfterError, HashPolicy, HashPolicyError, HashProtocol, InnerLease, InnerRelease, Latch, Lease,
    LeaseRenewal, LifeUnit, NamedLease, Poll, ReentryLife, RenewedLife, Resend, Spin, Waiting,
};
