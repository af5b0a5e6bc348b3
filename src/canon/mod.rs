//! One pass that rewrites a state into the form in which equal futures are equal values.
//!
//! Times become relative to the present, identities are renamed in order of first visit, statistics are zeroed.
//! A value takes part by a method `canonical(&mut self, &mut Canon)` that visits every stored time, nonce,
//! request, connection and attempt id and statistic. Identities in flight are visited before the cores that
//! issue them, because a core's own counters are rewritten last, by [`Canon::counter`]. Must not know any
//! protocol.

mod gather;

pub use gather::Gather;

use crate::name::{CallId, ClientId, GrantId, Nonce, Operation, VoterId};
use crate::time::{MonoTime, Now, ProcessClocks, Span, UnixMs, WallTime, WorldTime};
use bytes::Bytes;
use smallvec::SmallVec;

/// The kinds of identity that are renamed. Process-local kinds carry their client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// A core's request ids.
    Request(ClientId),
    /// Operation numbers of one kind.
    Operation(ClientId, Operation),
    /// Acquire calls.
    Call(ClientId),
    /// Grants of the whole run. Renamed by rank, not by visit: their order is what "older" means.
    Grant,
}

impl IdKind {
    /// The kind alone, as the upper half of a word.
    fn word(self) -> u64 {
        let (tag, client, operation) = match self {
            Self::Request(client) => (0, client, 0),
            Self::Operation(client, operation) => (1, client, operation as u64),
            Self::Call(client) => (2, client, 0),
            Self::Grant => (3, ClientId(0), 0),
        };
        (tag << 24 | operation << 16 | u64::from(client.0)) << 32
    }
}

/// The state of one pass.
#[derive(Clone, Debug)]
pub struct Canon {
    now: WorldTime,
    /// What the process being visited reads, and what it will read after the pass.
    before: Now,
    after: Now,
    nonces: SmallVec<[Nonce; 8]>,
    /// The kind in the upper half of the word, the identity in the lower.
    ids: SmallVec<[u64; 24]>,
    /// New place of each voter, by old place; empty while voters keep theirs.
    places: SmallVec<[u8; 8]>,
}

impl Canon {
    /// The monotonic reading of every process after a pass.
    pub const MONO_AFTER: MonoTime = MonoTime(1_000_000_000);

    /// Starts a pass over a state whose present is `now`.
    pub fn new(now: WorldTime) -> Self {
        let after = Now { mono: Self::MONO_AFTER, wall: ProcessClocks::WALL_START };
        Self {
            now,
            before: after,
            after,
            nonces: SmallVec::new(),
            ids: SmallVec::new(),
            places: SmallVec::new(),
        }
    }

    /// Puts the voters into another order: `order` lists their old places by new place. Only where it does not
    /// matter to anybody which voter is which.
    pub fn reorder_voters(&mut self, order: &[u8]) {
        if order.iter().enumerate().all(|(new, old)| new == usize::from(*old)) {
            return self.places.clear();
        }
        self.places = SmallVec::from_elem(0, order.len());
        for (new, old) in order.iter().enumerate() {
            self.places[usize::from(*old)] = new as u8;
        }
    }

    /// Whether any voter gets another place.
    pub fn reorders_voters(&self) -> bool {
        !self.places.is_empty()
    }

    /// A voter.
    pub fn voter(&mut self, voter: &mut VoterId) {
        if let Some(place) = self.places.get(usize::from(voter.0)) {
            voter.0 = *place;
        }
    }

    /// A set of voters, by bit. Bits beyond the voters there are stay as they are.
    pub fn voter_bits(&mut self, bits: &mut u32) {
        let old = *bits;
        for (from, to) in self.places.iter().enumerate() {
            let is_in = old >> from & 1;
            *bits = *bits & !(1 << to) | is_in << to;
        }
    }

    /// Something kept per voter, in index order.
    pub fn by_voter<T>(&mut self, kept: &mut [T]) {
        if self.places.is_empty() {
            return;
        }
        let mut places: SmallVec<[u8; 8]> = self.places.iter().copied().take(kept.len()).collect();
        for at in 0..places.len() {
            while usize::from(places[at]) != at {
                let to = usize::from(places[at]);
                kept.swap(at, to);
                places.swap(at, to);
            }
        }
    }

    /// Turns to a process: rewrites its clocks and takes its readings as the present for every local time
    /// visited until the next call. The wall clock moves by whole milliseconds only, because keys expire by
    /// the millisecond.
    pub fn enter(&mut self, clocks: &mut ProcessClocks) {
        use crate::time::ClockKind;
        self.before = clocks.now(self.now);
        let phase = self.before.wall.0.rem_euclid(1_000);
        self.after = Now { mono: Self::MONO_AFTER, wall: ProcessClocks::WALL_START + Span(phase) };
        clocks.clock_mut(ClockKind::Mono).recentre(self.now, self.after.mono.0);
        clocks.clock_mut(ClockKind::Wall).recentre(self.now, self.after.wall.0);
    }

    /// Turns to a process whose clocks were rewritten earlier in this pass, given its readings before it.
    pub fn revisit(&mut self, before: Now) {
        let phase = before.wall.0.rem_euclid(1_000);
        self.before = before;
        self.after = Now { mono: Self::MONO_AFTER, wall: ProcessClocks::WALL_START + Span(phase) };
    }

    /// A world time that only matters while it lies ahead: shifted, and `0` once past.
    pub fn world(&mut self, time: &mut WorldTime) {
        *time = WorldTime(time.0.saturating_sub(self.now.0));
    }

    /// A monotonic deadline: shifted, and equal to the present once past.
    pub fn mono_deadline(&mut self, time: &mut MonoTime) {
        *time = (*time).max(self.before.mono);
        self.mono_moment(time);
    }

    /// A monotonic moment whose distance into the past matters: shifted exactly. The owner bounds its age.
    pub fn mono_moment(&mut self, time: &mut MonoTime) {
        *time = self.after.mono + (*time - self.before.mono);
    }

    /// A wall-clock deadline: shifted, and equal to the present once past.
    pub fn wall_deadline(&mut self, time: &mut WallTime) {
        *time = (*time).max(self.before.wall);
        self.wall_moment(time);
    }

    /// A wall-clock moment whose distance into the past matters: shifted exactly.
    pub fn wall_moment(&mut self, time: &mut WallTime) {
        *time = self.after.wall + (*time - self.before.wall);
    }

    /// A deadline in the server's milliseconds: shifted, and one millisecond ago once past.
    pub fn unix_deadline(&mut self, time: &mut UnixMs) {
        let (before, after) = (self.before.wall.unix_ms().0, self.after.wall.unix_ms().0);
        *time = UnixMs(after + (time.0 - before).max(-1));
    }

    /// A nonce: the number of nonces visited before it. [`Nonce::CONSTANT`] is the same in every state and stays.
    pub fn nonce(&mut self, nonce: &mut Nonce) {
        if *nonce == Nonce::CONSTANT {
            return;
        }
        let index = self.nonces.iter().position(|known| known == nonce).unwrap_or_else(|| {
            self.nonces.push(*nonce);
            self.nonces.len() - 1
        });
        *nonce = Nonce(index as u64);
    }

    /// Takes over the nonces that another pass visited, in its order: for what holds several of them in an order that
    /// their own texts decide.
    pub fn know(&mut self, other: &Self) {
        for nonce in &other.nonces {
            if !self.nonces.contains(nonce) {
                self.nonces.push(*nonce);
            }
        }
    }

    /// Bytes that may be the text of a nonce.
    pub fn bytes(&mut self, bytes: &mut Bytes) {
        if let Some(renamed) = self.renamed(bytes) {
            *bytes = renamed;
        }
    }

    /// As [`Self::bytes`], where something is to be written only if the text changes: the new text then.
    pub fn renamed(&mut self, bytes: &[u8]) -> Option<Bytes> {
        let old = Nonce::from_bytes(bytes)?;
        let mut new = old;
        self.nonce(&mut new);
        (new != old).then(|| new.to_bytes())
    }

    /// An identity of this kind, 1-based: its place in the order of first visit. 0 means none and stays.
    pub fn id(&mut self, kind: IdKind, id: &mut u32) {
        if *id == 0 {
            return;
        }
        let (kind, mut seen) = (kind.word(), 0);
        let wanted = kind | u64::from(*id);
        for known in &self.ids {
            seen += u32::from((known ^ kind) >> 32 == 0);
            if *known == wanted {
                *id = seen;
                return;
            }
        }
        self.ids.push(wanted);
        *id = seen + 1;
    }

    /// An acquire call.
    pub fn call(&mut self, call: &mut CallId) {
        self.id(IdKind::Call(call.client), &mut call.number);
    }

    /// Declares all live grants before any is visited, so that renaming keeps their order.
    pub fn grants(&mut self, live: impl IntoIterator<Item = GrantId>) {
        let mut live: SmallVec<[GrantId; 8]> = live.into_iter().collect();
        live.sort_unstable();
        live.dedup();
        self.ids.extend(live.into_iter().map(|grant| IdKind::Grant.word() | u64::from(grant.0)));
    }

    /// A grant.
    pub fn grant(&mut self, grant: &mut GrantId) {
        self.id(IdKind::Grant, &mut grant.0);
    }

    /// A counter that holds the last identity given out of this kind: as many as were visited. To be called
    /// when everything that can hold such an identity has been visited.
    pub fn counter(&mut self, kind: IdKind, last: &mut u32) {
        let kind = kind.word();
        *last = self.ids.iter().filter(|known| (**known ^ kind) >> 32 == 0).count() as u32;
    }

    /// A number that no decision depends on.
    pub fn statistic(&mut self, number: &mut u64) {
        *number = 0;
    }

    /// How many distinct nonces were visited: the smallest index that a state after the pass does not use.
    pub fn nonces(&self) -> u64 {
        self.nonces.len() as u64
    }
}
