//! Which sets of kinds break something: the minimal ones, and the maximal ones that are safe.
//!
//! What breaks under some kinds of fault also breaks under more of them, so a few answers decide all sets. The search
//! asks for the largest undecided set first; a set that breaks is shrunk to a minimal one, a set whose answer is
//! unknown decides nothing and is taken apart. Must not know what a kind is, nor claim what no answer implies.
//!
//! **Source** Liffiton, Previti, Malik, Marques-Silva 2016, "Fast, flexible MUS enumeration", for the order of
//! questions; Berge 1989, "Hypergraphs", for the sets at the border of what is known.

mod border;
mod kinds;
mod survey;

pub use kinds::Kinds;
pub use survey::{Answer, Lattice, Survey};
