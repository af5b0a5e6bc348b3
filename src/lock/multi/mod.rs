//! A lock that is many: a sub-lock at each voter, taken one after the other, and held where all, or enough, were got.
//!
//! Must not know what lies behind a voter. Start at `policy` (the switches), then `machine` (which input goes where) and
//! `state`; `taking`, `ending` and `hold` are its transitions, `commands` what is sent and how an answer counts.
//!
//! **Source** Redisson 3.27, RedissonMultiLock and RedissonRedLock.

mod canonical;
mod commands;
mod ending;
mod hold;
mod machine;
mod policy;
mod state;
mod taking;
mod terms;

pub use machine::Multi;
pub use policy::{Holding, Leasing, MultiError, MultiPolicy, Needed, Order, Share, Spread, Sub};
