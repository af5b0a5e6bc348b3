//! The members of a sorted set.
//!
//! Redis keeps scores as doubles. Here they are whole numbers: no value of a run is a float, and what locks keep in
//! scores are milliseconds and ranks. Must not know keys or commands. Source: Redis 7.0.15.

use super::error::CommandError;
use super::number::{self, Decimal};
use bytes::Bytes;

/// The score of a member: a whole number that a double holds exactly, at most 2^53 in size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i64);

/// The members of a sorted set.
///
/// **Shape** pairs of score and member, ascending by score, then by member, each member once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Scored(Vec<(Score, Bytes)>);

/// The scores from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    low: i64,
    high: i64,
}

impl Score {
    /// The number.
    pub fn number(self) -> i64 {
        self.0
    }

    /// The score that this text writes.
    ///
    /// # Errors
    /// It is no number; or one that is not whole or too large, which Redis takes and this server does not.
    pub(super) fn read(text: &[u8]) -> Result<Self, CommandError> {
        match number::decimal(text, 0).ok_or(CommandError::NotAFloat)? {
            Decimal::Whole(number) => Self::of(number),
            Decimal::Above(_) | Decimal::Lowest | Decimal::Highest => Err(CommandError::ScoreNotWhole),
        }
    }

    fn of(number: i64) -> Result<Self, CommandError> {
        let fits = number.unsigned_abs() <= Self::LARGEST;
        if fits { Ok(Self(number)) } else { Err(CommandError::ScoreNotWhole) }
    }

    /// The sum of two.
    ///
    /// # Errors
    /// It is too large.
    pub(super) fn plus(self, other: Self) -> Result<Self, CommandError> {
        Self::of(self.0 + other.0)
    }

    /// The text that Redis gives for it.
    pub(super) fn text(self) -> Bytes {
        number::text(self.0)
    }

    const LARGEST: u64 = 1 << 53;
}

impl Span {
    /// The range that two bounds write: numbers of any kind, `-inf`, `+inf`, exclusive if a bracket leads.
    ///
    /// # Errors
    /// A bound is no number.
    pub(super) fn read(low: &[u8], high: &[u8]) -> Result<Self, CommandError> {
        let bound = |text: &[u8]| {
            let (exclusive, text) = text.strip_prefix(b"(").map_or((false, text), |rest| (true, rest));
            number::decimal(text, 0).map(|number| (exclusive, number)).ok_or(CommandError::NotAFloatRange)
        };
        // The largest scores are far from the ends of 64 bits.
        let low = match bound(low)? {
            (_, Decimal::Lowest) => i64::MIN,
            (_, Decimal::Highest) => i64::MAX,
            (false, Decimal::Whole(number)) => number,
            (true, Decimal::Whole(number)) | (_, Decimal::Above(number)) => number.saturating_add(1),
        };
        let high = match bound(high)? {
            (_, Decimal::Lowest) => i64::MIN,
            (_, Decimal::Highest) => i64::MAX,
            (true, Decimal::Whole(number)) => number.saturating_sub(1),
            (false, Decimal::Whole(number)) | (_, Decimal::Above(number)) => number,
        };
        Ok(Self { low, high })
    }

    pub(super) fn contains(self, score: Score) -> bool {
        (self.low..=self.high).contains(&score.0)
    }
}

impl Scored {
    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none; true only while a command is at work.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ascending by score, then by member.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Score, &Bytes)> {
        self.0.iter().map(|(score, member)| (*score, member))
    }

    /// The score of a member.
    pub fn of(&self, member: &[u8]) -> Option<Score> {
        self.rank(member).map(|rank| self.0[rank].0)
    }

    /// How many members come before it.
    pub(super) fn rank(&self, member: &[u8]) -> Option<usize> {
        self.0.iter().position(|(_, known)| known == member)
    }

    /// Gives a member this score; true if it was not there before.
    pub(super) fn insert(&mut self, member: &Bytes, score: Score) -> bool {
        let is_new = !self.remove(member);
        let entry = (score, member.clone());
        let at = self.0.partition_point(|known| *known < entry);
        self.0.insert(at, entry);
        is_new
    }

    /// Removes a member; true if it was there.
    pub(super) fn remove(&mut self, member: &[u8]) -> bool {
        self.rank(member).map(|rank| self.0.remove(rank)).is_some()
    }

    /// Removes every member whose score lies in the range; how many it were.
    pub(super) fn remove_span(&mut self, span: Span) -> usize {
        let before = self.0.len();
        self.0.retain(|(score, _)| !span.contains(*score));
        before - self.0.len()
    }

    /// Rewrites every member, and sorts again.
    pub(super) fn rewrite(&mut self, mut each: impl FnMut(&mut Bytes)) {
        self.0.iter_mut().for_each(|(_, member)| each(member));
        self.0.sort();
    }
}
