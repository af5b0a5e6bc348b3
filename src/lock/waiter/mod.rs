//! Locks of one node whose callers wait to be woken: `fair`, `read-write` and `signal`.
//!
//! One state machine; what differs is what is sent and how it is answered. Must not know what lies behind the voter.
//! Start at `policy` (the switches), then `machine` (which input goes where) and `state`; `call`, `hold` and `release`
//! are its transitions, `commands` what is sent, by shape in `fair`, `read_write` and `signal`, and how an answer counts.

mod call;
mod canonical;
mod commands;
mod fair;
mod hold;
mod machine;
mod policy;
mod read_write;
mod release;
mod signal;
mod state;
mod terms;

pub(in crate::lock) use call::is_message;
pub use machine::Waiter;
pub(in crate::lock) use machine::count;
pub use policy::{
    AfterError, Bound, Fair, Latch, OnDoubt, Patience, Present, Quitting, ReadWrite, ReaderLife, Shape, Side,
    Signal, Unit, WaiterError, WaiterPolicy, WriterLife,
};
