//! Expanding a chunk of the frontier, on any thread.
//!
//! Reads the table of what was met, which does not change meanwhile. Must not decide anything that depends on which
//! thread is quicker: what comes out is merged in the order of the chunks.

use super::fingerprint::Fingerprinter;
use super::run::Keep;
use super::step::{Graph, Step};
use super::visited::Visited;
use crate::prove::graph::Marks;

/// A part of the frontier: states with their numbers.
pub(super) type Chunk<S> = Vec<(u32, S)>;

/// What a thread needs to know.
pub(super) struct Expander<'a, G, F> {
    pub(super) graph: &'a G,
    /// Which states the caller wants back.
    pub(super) wants: &'a F,
    pub(super) visited: &'a Visited,
    pub(super) keep: Keep,
    /// The marks that were seen before this block.
    pub(super) seen: Marks,
}

/// What came of a chunk.
pub(super) struct Expansion<S> {
    /// Successors that were not met before this block, in order; several may be equal.
    pub(super) fresh: Vec<Fresh<S>>,
    /// How many edges were followed.
    pub(super) generated: u64,
    /// Edges with marks that no edge of this chunk before them carries.
    pub(super) marked: Vec<(u32, u16, Marks)>,
    /// Number and count of edges of each state, if edges are kept.
    pub(super) rows: Vec<(u32, u32)>,
    /// The edges of all rows, if edges are kept.
    pub(super) drafts: Vec<Draft>,
    /// The expanded states that the caller wants back.
    pub(super) wanted: Chunk<S>,
}

/// A successor that may be a state of its own.
pub(super) struct Fresh<S> {
    pub(super) state: S,
    pub(super) fingerprint: u64,
    pub(super) parent: u32,
    pub(super) choice: u16,
    pub(super) last: bool,
}

/// An edge whose target may have no number yet.
pub(super) struct Draft {
    pub(super) target: Target,
    pub(super) choice: u16,
    pub(super) ticks: u16,
    pub(super) marks: Marks,
}

/// Where an edge leads.
pub(super) enum Target {
    /// To a state with a number.
    Known(u32),
    /// To a successor, by its place among the fresh ones of the chunk.
    Fresh(usize),
}

impl<G: Graph, F: Fn(&G::State) -> bool> Expander<'_, G, F> {
    /// Expands the states of a chunk and drops them, except those that are wanted back.
    pub(super) fn expand(
        &self,
        chunk: Chunk<G::State>,
        fingerprints: &mut Fingerprinter,
    ) -> Expansion<G::State> {
        let mut out = Expansion {
            fresh: Vec::new(),
            generated: 0,
            marked: Vec::new(),
            rows: Vec::new(),
            drafts: Vec::new(),
            wanted: Vec::new(),
        };
        let mut seen = self.seen;
        let mut steps = Vec::new();
        for (number, state) in chunk {
            self.graph.expand(&state, &mut steps);
            let followed = steps.len();
            for (place, (_, step)) in steps.drain(..).enumerate() {
                let place = u16::try_from(place).expect("a state has at most 65 536 choices");
                let marks = self.take(number, place, step, fingerprints, &mut out);
                if !seen.contains(marks) {
                    out.marked.push((number, place, marks.minus(seen)));
                    seen = seen.union(marks);
                }
            }
            out.generated += followed as u64;
            if self.keep == Keep::Edges {
                out.rows.push((number, u32::try_from(followed).expect("few choices")));
            }
            if (self.wants)(&state) {
                out.wanted.push((number, state));
            }
        }
        out
    }

    fn take(
        &self,
        parent: u32,
        place: u16,
        step: Step<G::State>,
        fingerprints: &mut Fingerprinter,
        out: &mut Expansion<G::State>,
    ) -> Marks {
        let fingerprint = sealed(fingerprints.of(&step.state), step.last);
        let known = self.visited.find(fingerprint);
        if self.keep == Keep::Edges {
            let target = known.map_or(Target::Fresh(out.fresh.len()), Target::Known);
            let ticks = u16::try_from(step.ticks).expect("an edge that is kept takes at most 65 535 ticks");
            out.drafts.push(Draft { target, choice: place, ticks, marks: step.marks });
        }
        if known.is_none() {
            let (state, last) = (step.state, step.last);
            out.fresh.push(Fresh { state, fingerprint, parent, choice: place, last });
        }
        step.marks
    }
}

/// The fingerprint of a state together with whether it is not expanded.
pub(super) fn sealed(fingerprint: u64, last: bool) -> u64 {
    if last { fingerprint ^ 0x5851_F42D_4C95_7F2D } else { fingerprint }
}
