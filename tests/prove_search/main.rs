//! The generic search under the prover: counts, paths, limits, graph analyses, sets that break; all on toy graphs.
//!
//! Every answer is compared with a naive one that is written here. Must not know locks.

mod graph;
mod lattice;
mod search;
mod toys;
