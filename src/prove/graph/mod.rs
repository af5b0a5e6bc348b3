//! What can be said about a finite graph whose edges were kept: longest paths, cycles, who can force what.
//!
//! States are numbers, choices are ordinals, what happens on an edge is a set of [`Marks`]; what a mark means is
//! the caller's. All analyses are iterative, because graphs have millions of states, and give the same answer for
//! the same graph, shortest stems first. A state that was not expanded has unknown successors, and every analysis
//! says so instead of taking it for a dead end. Must not know locks, Redis or the world. `search` makes the graphs.

mod backward;
mod components;
mod edges;
mod force;
mod lasso;
mod longest;
mod marks;
mod reach;
mod walk;

pub use edges::{Edge, Edges};
pub use force::forcing;
pub use lasso::lasso_without;
pub use longest::{Longest, longest};
pub use marks::Marks;
pub use walk::{Lasso, Walk};
