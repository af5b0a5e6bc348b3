//! The lock cores, driven through their public contract by a scripted driver.
//!
//! `play` is the driver, `attempts`, `holds`, `looks`, `waits`, `switches`, `sent`, `renewals` and `unsound` are tables of
//! plays, `counted` those of locks that count holds, which `counted_node` plays against a real node and `counted_any` with
//! nonsense; `properties` feeds nonsense to `policies`, `canonical` shows that a core's states are finite. Lua texts are
//! executed in `counted_node`, and by the
//! tests of the fake Redis.

mod attempts;
mod canonical;
mod counted;
mod counted_any;
mod counted_node;
mod holds;
mod looks;
mod multi;
mod party;
mod play;
mod policies;
mod policy;
mod properties;
mod queues;
mod renewals;
mod sent;
mod switches;
mod unsound;
mod waits;
