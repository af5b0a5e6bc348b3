//! The exhaustive search: every state of a graph, each once, nearest first, on several threads.
//!
//! The search goes level by level. Threads expand the states of a block and drop what was met before; one thread then
//! takes what is left in the order of the frontier. So numbers of states, counts, depth and first occurrences are the
//! same for any number of threads, and the first violation is a shortest one. States live only in the frontier; what
//! stays of a state is a fingerprint of 64 bits, its parent and the place of one choice, from which a path is replayed.
//!
//! Two states with one fingerprint would be taken for one: [`CollisionBound`] says how unlikely that is. Must not know
//! what the states are, and reads no clock: who calls it imposes time limits by a callback.
//! `graph` analyses the edges that were kept.

mod bound;
mod expand;
mod fingerprint;
mod found;
mod run;
mod step;
mod visited;

pub use bound::CollisionBound;
pub use fingerprint::Fingerprinter;
pub use found::{End, FirstEdge, Searched};
pub use run::{Keep, Limits, Progress, Search};
pub use step::{Graph, Step};
