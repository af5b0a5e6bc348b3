//! The oracles, through their public interface: hand-written histories, naive references, canonical form,
//! witnesses, verdicts, and the digest.
//!
//! Histories are written or generated here record by record: no world runs. Read `story.rs` for their words.

mod canonical;
mod digest;
mod generated;
mod oracles;
mod play;
mod references;
mod story;
mod verdicts;
mod witnesses;
