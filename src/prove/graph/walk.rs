//! Ways through a graph, told by which choice is taken at each state.
//!
//! Must not hold states: a walk is replayed from its start.

/// A finite way from a start.
///
/// **Shape** one entry per edge: the place of the choice that is taken among the choices of the state it is taken
/// in, from 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Walk {
    /// Which of the graph's starts it begins at, from 0.
    pub start: usize,
    /// The choices.
    pub choices: Vec<u16>,
}

/// A way that never ends: a stem, and a cycle that is gone round for ever.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lasso {
    /// The way to the first state of the cycle.
    pub stem: Walk,
    /// The choices of one round, at least one; it ends in the state it began in.
    pub cycle: Vec<u16>,
    /// How long one round takes, in ticks. Zero means that time stands still on the cycle.
    pub ticks: u64,
}

impl Lasso {
    /// The stem and one round as one walk.
    pub fn once_round(&self) -> Walk {
        Walk { start: self.stem.start, choices: [&self.stem.choices[..], &self.cycle].concat() }
    }
}
