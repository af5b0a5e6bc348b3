//! The items of a list.
//!
//! Must not know keys or commands. Source: Redis 7.0.15.

use super::number;
use bytes::Bytes;

/// The items of a list, from its head to its tail; equal ones may repeat.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Items(Vec<Bytes>);

/// An end of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum End {
    Head,
    Tail,
}

impl Items {
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none; true only while a command is at work.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// From head to tail.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Bytes> {
        self.0.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Bytes> {
        self.0.iter_mut()
    }

    /// The item at an index; a negative one counts from the tail, -1 being the last.
    pub(super) fn at(&self, index: i64) -> Option<&Bytes> {
        let len = self.0.len() as i64;
        let index = if index < 0 { index.saturating_add(len) } else { index };
        self.0.get(usize::try_from(index).ok()?)
    }

    /// The items from one index to another, both included.
    pub(super) fn between(&self, start: i64, stop: i64) -> &[Bytes] {
        &self.0[number::range(start, stop, self.0.len())]
    }

    pub(super) fn push(&mut self, end: End, item: Bytes) {
        match end {
            End::Head => self.0.insert(0, item),
            End::Tail => self.0.push(item),
        }
    }

    pub(super) fn pop(&mut self, end: End) -> Option<Bytes> {
        match end {
            End::Head => (!self.0.is_empty()).then(|| self.0.remove(0)),
            End::Tail => self.0.pop(),
        }
    }

    /// Removes items equal to this one: the first `count`, or the last `-count`, or all if 0. How many it were.
    pub(super) fn remove(&mut self, count: i64, item: &Bytes) -> usize {
        let most =
            if count == 0 { usize::MAX } else { usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX) };
        let equal = |at: &usize| self.0[*at] == *item;
        let places: Vec<usize> = match count < 0 {
            true => (0..self.0.len()).rev().filter(equal).take(most).collect(),
            false => (0..self.0.len()).filter(equal).take(most).collect(),
        };
        let mut at = 0;
        self.0.retain(|_| {
            at += 1;
            !places.contains(&(at - 1))
        });
        places.len()
    }
}
