//! Clients whose grants are shared: which grants are compatible, and so whom a monitor takes for one and the same.
//!
//! Two grants are compatible if one client has them, or if both are shared. That is an equivalence, so every client
//! stands for a party: all readers for one, and any other client for itself. Monitors compare parties. Must not
//! change during a run: a client reads or it does not.

use crate::name::ClientId;
use std::sync::Arc;

/// The clients whose grants are shared, ascending; nothing where there is none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Readers(Option<Arc<[ClientId]>>);

impl Readers {
    /// No client's grants are shared.
    pub const NONE: Self = Self(None);

    /// These clients' grants are, in whatever order they are named.
    pub fn of(clients: impl IntoIterator<Item = ClientId>) -> Self {
        let mut clients: Vec<ClientId> = clients.into_iter().collect();
        clients.sort_unstable();
        clients.dedup();
        if clients.is_empty() { Self::NONE } else { Self(Some(clients.into())) }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whom a client stands for: the first reader if it is one, else itself.
    pub(super) fn party(&self, client: ClientId) -> ClientId {
        match &self.0 {
            Some(readers) if readers.binary_search(&client).is_ok() => readers[0],
            Some(_) | None => client,
        }
    }
}
