//! The guarded resource, as code inside a section sees it.
//!
//! Must not be asked by whoever is outside: the world refuses that as an error of the adapter.

use super::port::Port;
use super::sim::Sim;
use crate::name::StoreAccess;
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
        let (port, access) = (self.sim.port.clone(), ask.access());
        let number = port.lock().ask(access);
        let asked = Asked { port, access, number };
        self.sim.tell(Act::Ask(ask));
        let answer =
            std::future::poll_fn(|context| asked.port.lock().poll_store(asked.access, asked.number, context));
        match answer.await {
            Some(Answer::Taken) => Ok(0),
            Some(Answer::Stock(stock)) => Ok(stock),
            Some(Answer::Refused) => Err(StoreError::Refused),
            None => Err(StoreError::Unknown),
        }
    }
}

/// A request whose answer is waited for: if it no longer is, the answer is nobody's.
struct Asked {
    port: Port,
    access: StoreAccess,
    number: u32,
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.port.lock().drop_ask(self.access, self.number);
    }
}
