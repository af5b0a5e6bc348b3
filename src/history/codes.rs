//! Stable numbers of enums in the digest's encoding.
//!
//! Written out one by one: a variant that moves keeps its number, one that is added takes the next free number,
//! and a number given up is never used again. A change of any number is a new `ENCODING_VERSION`.

use super::fact::{Cause, HoldEffect, LostWhy, PromiseEnd, SectionEnd, WatchEnd, WatchKind};
use crate::lock::{ExtendFailure, Found, LossReason, RefuseReason, Released};
use crate::name::{CommandName, Direction, Operation, StoreAccess};
use crate::plan::FaultKind;

/// An enum without data that has stable numbers.
pub(super) trait Code {
    fn code(self) -> u8;
}

macro_rules! codes {
    ($kind:ident { $($variant:ident = $code:literal),* $(,)? }) => {
        impl Code for $kind {
            fn code(self) -> u8 {
                match self {
                    $(Self::$variant => $code,)*
                }
            }
        }
    };
}

codes!(RefuseReason { Taken = 0, Unknown = 1, TooLate = 2, Error = 3, Cancelled = 4, Misuse = 5 });
codes!(ExtendFailure { Gone = 0, Unknown = 1, TooLate = 2, NotHeld = 3, Misuse = 4 });
codes!(LossReason { Gone = 0, Expired = 1, Unrenewed = 2, Unsaid = 3 });
codes!(Released { Confirmed = 0, Unknown = 1, NotOwned = 2 });
codes!(Found { Held = 0, Gone = 1, Unknown = 2 });
codes!(PromiseEnd { Reached = 0, Released = 1, Lost = 2, Crashed = 3, Replaced = 4 });
codes!(SectionEnd { Finished = 0, Expired = 1, Lost = 2, Crashed = 3 });
codes!(LostWhy { Directive = 0, Reset = 1, BlackHole = 2, Down = 3 });
codes!(HoldEffect { Written = 0, Updated = 1, Prolonged = 2, Removed = 3 });
codes!(Cause { Own = 0, Rival = 1, Expiry = 2, ClockFault = 3, Eviction = 4, Restart = 5, Promise = 6, Failover = 7, Resync = 8 });
codes!(WatchKind { Leak = 0, Stuck = 1, Unavailable = 2, SilentLoss = 3 });
codes!(WatchEnd { Met = 0, Void = 1, Missed = 2 });
codes!(Operation { Acquire = 0, Extend = 1, Release = 2, Check = 3, Aside = 4 });
codes!(CommandName {
    Del = 0,
    Eval = 1,
    Evalsha = 2,
    Get = 3,
    Set = 4,
    Other = 5,
    Role = 6,
    Wait = 7,
    Setnx = 8,
    Pexpire = 9,
    Delex = 10,
    Exec = 11,
    Expire = 12,
    Multi = 13,
    Ttl = 14,
    Unwatch = 15,
    Watch = 16,
});
codes!(StoreAccess { Claim = 0, Read = 1, Write = 2 });
codes!(Direction { Request = 0, Reply = 1 });
codes!(FaultKind {
    Stop = 0,
    Suspend = 1,
    Crash = 2,
    Kill = 3,
    ClockStep = 4,
    ClockRate = 5,
    ClockFreeze = 6,
    Cut = 7,
    Slow = 8,
    Evict = 9,
    LateTimer = 10,
    ErrorReply = 11,
    FlushScripts = 12,
    Message = 13,
    PowerLoss = 14,
    Shutdown = 15,
    Promote = 16,
    Demote = 17,
    Lag = 18,
    Cancel = 19,
});
