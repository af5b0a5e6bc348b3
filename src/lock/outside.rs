//! The lock of code that runs outside of the world: what it says of itself, and how its holds are recognised.
//!
//! It takes no inputs and has no duties: the code itself connects, sends and decides, and tells the world so. Must not
//! know any protocol; a shipped core that somebody drives from outside lends it its eyes.

use super::contract::{CoreTraits, Hand, Input, LockCore, Output, Stored};
use super::core::Core;
use crate::canon::Canon;
use crate::name::{ClientId, Nonce};
use crate::time::Now;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// A lock of which only the description is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Described {
    traits: Arc<CoreTraits>,
    eyes: Recognised,
}

/// How a hold is recognised in what a node stores.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Recognised {
    /// By the stored text, or a field of a stored hash: its hash is the nonce.
    ByText,
    /// As this core does.
    By(Box<Core>),
}

impl Described {
    /// A lock that says this of itself.
    pub fn new(traits: CoreTraits, eyes: Recognised) -> Self {
        Self { traits: Arc::new(traits), eyes }
    }

    /// The nonce by which a hold with this text is recognised: xxh3-64 of it.
    pub fn nonce_of(text: &[u8]) -> Nonce {
        Nonce(xxh3_64(text))
    }
}

impl LockCore for Described {
    fn on_input(&mut self, _: Now, _: Input, _: &mut Vec<Output>) {}

    fn canonical(&mut self, _: ClientId, _: &mut Canon) {}

    fn describe(&self) -> CoreTraits {
        (*self.traits).clone()
    }

    fn hand(&self) -> Hand {
        Hand::Outside
    }

    fn knows_its_holders(&self) -> bool {
        matches!(self.eyes, Recognised::By(_))
    }

    fn backs(&self, nonce: Nonce, stored: &Stored) -> bool {
        match (&self.eyes, stored) {
            (Recognised::By(core), _) => core.backs(nonce, stored),
            (Recognised::ByText, Stored::Text(text)) => Self::nonce_of(text) == nonce,
            (Recognised::ByText, Stored::Hash(pairs)) => {
                pairs.iter().any(|(field, _)| Self::nonce_of(field) == nonce)
            }
            (Recognised::ByText, Stored::Other) => false,
        }
    }

    fn holds(&self, nonce: Nonce, stored: &Stored) -> u32 {
        match &self.eyes {
            Recognised::By(core) => core.holds(nonce, stored),
            Recognised::ByText => u32::from(self.backs(nonce, stored)),
        }
    }
}
