//! Randomness: nonces and jitter, a stream of its own per client; and what the plans of a profile are drawn from.
//!
//! The streams: ChaCha8, key = seed in 8 little-endian bytes and 24 zero bytes, stream =
//! concern << 32 | index. Must not be shared between concerns: a draw more in one changes nothing in another.

use super::latency::length_fraction;
use crate::lock::Draw;
use crate::name::{ClientId, Nonce};
use crate::plan::Quantiles;
use crate::time::Span;
use crate::world::{Draws, Stretch};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// What a stream is for. The numbers are part of every digest: never reuse or change one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Concern {
    /// Nonces and jitter of one client.
    Client,
    /// A hazard of a profile at one of its targets.
    Hazard,
    /// Which hazards a swarm leaves out.
    Swarm,
    /// A walk through the graph of a proof.
    #[cfg(feature = "prove")]
    Walk,
}

impl Concern {
    const fn number(self) -> u64 {
        match self {
            Self::Client => 1,
            Self::Hazard => 2,
            Self::Swarm => 3,
            #[cfg(feature = "prove")]
            Self::Walk => 4,
        }
    }
}

/// The streams of one run.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    seed: u64,
    clients: Vec<Option<ChaCha8Rng>>,
}

impl Streams {
    pub(crate) fn new(seed: u64, clients: usize) -> Self {
        Self { seed, clients: vec![None; clients] }
    }
}

pub(crate) fn stream(seed: u64, concern: Concern, index: u32) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(concern.number() << 32 | u64::from(index));
    rng
}

impl Draws for Streams {
    fn draw(&mut self, client: ClientId) -> Draw {
        let seed = self.seed;
        let open = || stream(seed, Concern::Client, u32::from(client.0));
        let rng = self.clients[usize::from(client.0)].get_or_insert_with(open);
        let nonce = Nonce(rng.next_u64());
        Draw { nonce, jitter: rng.next_u32() }
    }

    fn length(&mut self, client: ClientId, cycle: u32, stretch: Stretch, of: &Quantiles) -> Span {
        Span(of.at(length_fraction(self.seed, client, cycle, stretch)))
    }
}
