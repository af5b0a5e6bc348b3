//! The fingerprints that were met, with the number of each state.
//!
//! Open addressing with linear steps: fingerprints are spread evenly already. A slot is twelve bytes, so a look-up
//! mostly costs one line of memory. Must not be iterated: its order means nothing.

/// A table from fingerprint to number.
#[derive(Clone, Debug)]
pub(super) struct Visited {
    slots: Vec<Slot>,
    held: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    low: u32,
    high: u32,
    /// `FREE` where nothing is held.
    number: u32,
}

impl Visited {
    pub(super) fn new() -> Self {
        Self { slots: vec![EMPTY; 1 << 10], held: 0 }
    }

    /// The number of a fingerprint, if it is held.
    pub(super) fn find(&self, fingerprint: u64) -> Option<u32> {
        let slot = &self.slots[self.place(fingerprint)];
        (slot.number != FREE).then_some(slot.number)
    }

    /// Holds a fingerprint under a number, unless it is held already; then, the number it has.
    pub(super) fn insert(&mut self, fingerprint: u64, number: u32) -> Result<(), u32> {
        assert_ne!(number, FREE, "there is one number less than 32 bits have");
        let place = self.place(fingerprint);
        if self.slots[place].number != FREE {
            return Err(self.slots[place].number);
        }
        self.slots[place] = Slot { low: fingerprint as u32, high: (fingerprint >> 32) as u32, number };
        self.held += 1;
        // Five eighths full at most: runs of taken slots stay a few slots long.
        if self.held * 8 > self.slots.len() * 5 {
            self.grow();
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<Slot>()) as u64
    }

    /// Where a fingerprint is, or would be put.
    fn place(&self, fingerprint: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = fingerprint as usize & mask;
        let (low, high) = (fingerprint as u32, (fingerprint >> 32) as u32);
        loop {
            let slot = &self.slots[place];
            if slot.number == FREE || (slot.low == low && slot.high == high) {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let room = vec![EMPTY; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, room);
        for slot in old.into_iter().filter(|slot| slot.number != FREE) {
            let place = self.place(u64::from(slot.high) << 32 | u64::from(slot.low));
            self.slots[place] = slot;
        }
    }
}

/// No state has this number.
const FREE: u32 = u32::MAX;

const EMPTY: Slot = Slot { low: 0, high: 0, number: FREE };
