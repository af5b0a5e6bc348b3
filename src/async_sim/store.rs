//! The guarded resource, as code inside a section sees it.
//!
//! Must not be asked by whoever is outside: the world refuses that as an error of the adapter.

use super::sim::Sim;
use crate::world::{Act, Answer, Ask};

/// The guarded resource. It answers over the network.
#[derive(Clone, Debug)]
pub struct Store {
    sim: Sim,
}

/// Why the store did not do what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It refused: the fence is old, or the claim is not the writer's.
    #[error("the store refused")]
    Refused,
    /// The connection broke: nobody knows.
    #[error("the store's answer was lost")]
    Unknown,
}

impl Store {
    pub(super) fn new(sim: Sim) -> Self {
        Self { sim }
    }

    /// Writes. The decision to write and the write are two steps: a pause may come between.
    ///
    /// # Errors
    /// The store refused it, or its answer was lost.
    pub async fn write(&self) -> Result<(), StoreError> {
        self.decide().await;
        self.ask(Ask::Write).await.map(|_| ())
    }

    /// Claims the store, which then takes writes from nobody else: where the scenario's store checks claims.
    ///
    /// # Errors
    /// Its answer was lost.
    pub async fn claim(&self) -> Result<(), StoreError> {
        self.ask(Ask::Claim).await.map(|_| ())
    }

    /// The stock.
    ///
    /// # Errors
    /// Its answer was lost.
    pub async fn stock(&self) -> Result<i64, StoreError> {
        self.ask(Ask::Stock).await
    }

    /// Sells one item of a stock that was read as this.
    ///
    /// # Errors
    /// The store refused it, or its answer was lost.
    pub async fn sell(&self, read: i64) -> Result<(), StoreError> {
        self.decide().await;
        self.ask(Ask::Buy { read }).await.map(|_| ())
    }

    async fn decide(&self) {
        self.sim.tell(Act::Check);
        self.sim.turn().await;
    }

    pub(super) async fn ask(&self, ask: Ask) -> Result<i64, StoreError> {
        self.sim.port.lock().owe();
        self.sim.tell(Act::Ask(ask));
        let answer = std::future::poll_fn(|context| self.sim.port.lock().poll_store(context)).await;
        match answer {
            Answer::Taken => Ok(0),
            Answer::Stock(stock) => Ok(stock),
            Answer::Refused => Err(StoreError::Refused),
            Answer::Unknown => Err(StoreError::Unknown),
        }
    }
}
