//! The search itself: blocks of the frontier, expanded by threads, merged by one.
//!
//! Must not let anything depend on the number of threads: sizes of blocks and chunks are fixed. Reads no clock.

use super::expand::{Chunk, Draft, Expander, Expansion, Target};
use super::fingerprint::Fingerprinter;
use super::found::{End, FirstEdge, ROOT, Searched};
use super::step::Graph;
use super::visited::Visited;
use crate::prove::graph::{Edge, Edges, Marks};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// How many threads expand states; the calling one is the first. At least 1.
    pub threads: usize,
    /// Ends the search with the level in which the last of these marks is seen; without any, they end nothing.
    pub wanted: Marks,
    /// How far to go.
    pub limits: Limits,
    /// What to keep besides states.
    pub keep: Keep,
}

/// How far a search goes, checked after each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Ends the search once more states than this were met.
    pub states: u32,
    /// Ends the search once it takes more bytes than this by estimate: tables, edges, and what is held of states.
    pub bytes: u64,
    /// What a state takes beside its own size, in bytes, for the estimate.
    pub heap_per_state: u64,
}

impl Limits {
    /// As far as numbers of states go: 32 bits, less what a block may add before it is noticed.
    pub const NONE: Self = Self { states: 4_000_000_000, bytes: u64::MAX, heap_per_state: 0 };
}

/// What a search keeps besides states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Enough for paths.
    Paths,
    /// All edges too, for the analyses of `graph`.
    Edges,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// States met.
    pub states: u32,
    /// Edges followed.
    pub generated: u64,
    /// The distance from the starts of the states being expanded, in steps.
    pub depth: u32,
    /// States met and not yet expanded.
    pub frontier: usize,
    /// The estimate that the limit is for.
    pub bytes: u64,
    /// Marks seen.
    pub marks: Marks,
}

impl Search {
    /// Searches a graph. The callback is called after each block, and may end the search.
    ///
    /// # Panics
    /// If a state has more than 65 536 choices, or an edge that is kept takes more than 65 535 ticks.
    pub fn run<G: Graph>(&self, graph: &G, progress: impl FnMut(&Progress) -> ControlFlow<()>) -> Searched {
        self.collect(graph, |_| false, progress).0
    }

    /// Searches a graph and gives back the states that `wants` accepts, by number.
    ///
    /// **Shape** every state that was met is asked for once, also one that was not expanded.
    ///
    /// # Panics
    /// As [`Search::run`].
    pub fn collect<G: Graph>(
        &self,
        graph: &G,
        wants: impl Fn(&G::State) -> bool + Sync,
        mut progress: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> (Searched, Vec<(u32, G::State)>) {
        assert!(self.threads > 0, "a search needs a thread");
        let mut run = Run::start(self, graph, &wants);
        let end = run.levels(&mut progress);
        run.finish(end)
    }
}

/// A search under way.
struct Run<'a, G: Graph, F> {
    search: &'a Search,
    graph: &'a G,
    wants: &'a F,
    found: Searched,
    /// What is left of the level being expanded, last chunk first.
    level: Vec<Chunk<G::State>>,
    /// The level after it.
    next: Vec<Chunk<G::State>>,
    /// How many states are in both.
    frontier: usize,
    /// States that are dropped by the threads of the next block, because dropping takes long.
    dropped: Vec<Vec<G::State>>,
    wanted: Vec<(u32, G::State)>,
}

impl<'a, G: Graph, F: Fn(&G::State) -> bool + Sync> Run<'a, G, F> {
    fn start(search: &'a Search, graph: &'a G, wants: &'a F) -> Self {
        let found = Searched {
            end: End::Exhausted,
            visited: Visited::new(),
            parents: Vec::new(),
            choices: Vec::new(),
            starts: Vec::new(),
            levels: Vec::new(),
            generated: 0,
            marks: Marks::NONE,
            firsts: [None; 64],
            edges: (search.keep == Keep::Edges).then(Edges::new),
        };
        let (level, next, dropped, wanted) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut run = Self { search, graph, wants, found, level, next, frontier: 0, dropped, wanted };
        let mut fingerprints = Fingerprinter::new();
        for state in graph.starts() {
            let number = match run.meet(fingerprints.of(&state), ROOT, 0) {
                Ok(number) => {
                    run.queue(number, state);
                    number
                }
                Err(known) => known,
            };
            run.found.starts.push(number);
        }
        if let Some(edges) = &mut run.found.edges {
            edges.set_starts(run.found.starts.clone());
        }
        run
    }

    /// Goes on level by level until there is a reason to end.
    fn levels(&mut self, progress: &mut impl FnMut(&Progress) -> ControlFlow<()>) -> End {
        let wanted = self.search.wanted;
        let mut first = 0;
        while !self.next.is_empty() || first < self.found.states() {
            self.found.levels.push(first);
            first = self.found.states();
            self.level = std::mem::take(&mut self.next);
            self.level.reverse();
            while !self.level.is_empty() {
                self.block();
                let so_far = self.so_far();
                let stops = progress(&so_far).is_break();
                let limits = &self.search.limits;
                let end = if stops {
                    End::Interrupted
                } else if so_far.states > limits.states {
                    End::States
                } else if so_far.bytes > limits.bytes {
                    End::Bytes
                } else {
                    continue;
                };
                // With nothing left to expand, the search is over for the better reason.
                if self.frontier > 0 {
                    let deeper = first < self.found.states();
                    self.found.levels.extend(deeper.then_some(first));
                    return end;
                }
            }
            if !wanted.is_empty() && self.found.marks.contains(wanted) && self.frontier > 0 {
                self.found.levels.push(first);
                return End::Wanted;
            }
        }
        End::Exhausted
    }

    fn so_far(&self) -> Progress {
        let held = (self.frontier + self.wanted.len()) as u64;
        let state = (size_of::<(u32, G::State)>() as u64).saturating_add(self.search.limits.heap_per_state);
        Progress {
            states: self.found.states(),
            generated: self.found.generated,
            depth: self.found.depth(),
            frontier: self.frontier,
            bytes: self.found.bytes().saturating_add(held.saturating_mul(state)),
            marks: self.found.marks,
        }
    }

    /// Expands the next block of the level and takes in what comes of it.
    fn block(&mut self) {
        let from = self.level.len().saturating_sub(CHUNKS_PER_BLOCK);
        let mut chunks = self.level.split_off(from);
        chunks.reverse();
        self.frontier -= chunks.iter().map(Vec::len).sum::<usize>();
        let threads = self.search.threads.min(chunks.len());
        let dropped = Mutex::new(std::mem::take(&mut self.dropped));
        let expander = Expander {
            graph: self.graph,
            wants: self.wants,
            visited: &self.found.visited,
            keep: self.search.keep,
            seen: self.found.marks,
        };
        let chunks = Mutex::new(chunks.into_iter().enumerate());
        let work = || {
            let mut fingerprints = Fingerprinter::new();
            let mut done = Vec::new();
            while let Some((place, chunk)) = take(&chunks, Iterator::next) {
                done.push((place, expander.expand(chunk, &mut fingerprints)));
                drop(take(&dropped, Vec::pop));
            }
            done
        };
        let mut expansions = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut done = work();
            for other in others {
                done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        });
        expansions.sort_unstable_by_key(|(place, _)| *place);
        for (_, expansion) in expansions {
            self.merge(expansion);
        }
    }

    fn merge(&mut self, expansion: Expansion<G::State>) {
        self.found.generated += expansion.generated;
        for (from, choice, marks) in expansion.marked {
            let depth = self.found.depth() + 1;
            for bit in marks.minus(self.found.marks).bits() {
                self.found.firsts[usize::from(bit)] = Some(FirstEdge { from, choice, depth });
            }
            self.found.marks = self.found.marks.union(marks);
        }
        let mut numbers = Vec::with_capacity(expansion.fresh.len());
        let mut dropped = Vec::new();
        for fresh in expansion.fresh {
            match self.meet(fresh.fingerprint, fresh.parent, fresh.choice) {
                Ok(number) => {
                    numbers.push(number);
                    if !fresh.last {
                        self.queue(number, fresh.state);
                    } else if (self.wants)(&fresh.state) {
                        self.wanted.push((number, fresh.state));
                    } else {
                        dropped.push(fresh.state);
                    }
                }
                Err(known) => {
                    numbers.push(known);
                    dropped.push(fresh.state);
                }
            }
        }
        if !dropped.is_empty() {
            self.dropped.push(dropped);
        }
        self.wanted.extend(expansion.wanted);
        if let Some(edges) = &mut self.found.edges {
            let mut drafts = expansion.drafts.into_iter();
            for (number, count) in expansion.rows {
                edges.push(number, drafts.by_ref().take(count as usize).map(|draft| edge(&draft, &numbers)));
            }
        }
    }

    /// Gives a state the next number, or finds the one it has.
    fn meet(&mut self, fingerprint: u64, parent: u32, choice: u16) -> Result<u32, u32> {
        let number = self.found.states();
        self.found.visited.insert(fingerprint, number)?;
        self.found.parents.push(parent);
        self.found.choices.push(choice);
        Ok(number)
    }

    /// Puts a state at the end of the next level.
    fn queue(&mut self, number: u32, state: G::State) {
        match self.next.last_mut().filter(|chunk| chunk.len() < STATES_PER_CHUNK) {
            Some(chunk) => chunk.push((number, state)),
            None => {
                let mut chunk = Vec::with_capacity(STATES_PER_CHUNK);
                chunk.push((number, state));
                self.next.push(chunk);
            }
        }
        self.frontier += 1;
    }

    fn finish(mut self, end: End) -> (Searched, Vec<(u32, G::State)>) {
        self.found.end = end;
        let states = self.found.states();
        if let Some(edges) = &mut self.found.edges {
            edges.skip_to(states);
        }
        let left = self.level.into_iter().chain(self.next).flatten();
        self.wanted.extend(left.filter(|(_, state)| (self.wants)(state)));
        self.wanted.sort_by_key(|(number, _)| *number);
        (self.found, self.wanted)
    }
}

fn edge(draft: &Draft, numbers: &[u32]) -> Edge {
    let target = match draft.target {
        Target::Known(number) => number,
        Target::Fresh(place) => numbers[place],
    };
    Edge { target, choice: draft.choice, ticks: draft.ticks, marks: draft.marks }
}

/// Takes one thing out of what threads share.
fn take<T, U>(shared: &Mutex<T>, one: impl FnOnce(&mut T) -> Option<U>) -> Option<U> {
    // A thread that panics ends the search, so what it left behind is not used.
    one(&mut shared.lock().unwrap_or_else(PoisonError::into_inner))
}

const STATES_PER_CHUNK: usize = 64;
const CHUNKS_PER_BLOCK: usize = 64;
