//! The lock cores, driven through their public contract by a scripted driver.
//!
//! `play` is the driver, `attempts`, `holds`, `looks`, `waits` and `unsound` are tables of plays, `properties` feeds nonsense,
//! `canonical` shows that a core's states are finite. Lua texts are executed by the tests of the fake Redis, not here.

mod attempts;
mod canonical;
mod holds;
mod looks;
mod play;
mod policy;
mod properties;
mod unsound;
mod waits;
