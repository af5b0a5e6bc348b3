//! Nodes at addresses: a socket in the file system for each, for libraries that connect by themselves.
//!
//! Whoever connects to a node's socket is connected to the node by a [`Stream`], byte for byte, as by a proxy on the
//! client's own machine: what the world refuses or breaks ends the connection. Both ends are in one process, on one thread;
//! what is written on one end is there on the other when tokio next looks. Must not look into bytes, limit or retry.

use super::port::Port;
use super::stream::Stream;
use crate::name::VoterId;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{UnixListener, UnixStream};

/// Where the sockets of one process are. It begins with none.
#[derive(Clone)]
pub(super) struct Sockets {
    folder: Arc<Path>,
    /// What sets the names apart from those of other processes and lives.
    life: String,
    listening: Arc<Mutex<Vec<VoterId>>>,
}

impl Sockets {
    pub(super) fn new(folder: Arc<Path>, life: String) -> Self {
        Self { folder, life, listening: Arc::default() }
    }

    /// Where this node can be reached.
    ///
    /// # Panics
    /// If a socket cannot be made there; outside of a runtime with sockets.
    pub(super) fn listen(&self, port: &Port, voter: VoterId) -> PathBuf {
        let path = self.folder.join(format!("{}-{}", self.life, voter.0));
        let mut listening = self.listening.lock().unwrap_or_else(PoisonError::into_inner);
        if !listening.contains(&voter) {
            let listener = UnixListener::bind(&path)
                .unwrap_or_else(|error| panic!("{}: no socket can be made: {error}", path.display()));
            tokio::spawn(accept(listener, port.clone(), voter));
            listening.push(voter);
        }
        path
    }
}

async fn accept(listener: UnixListener, port: Port, voter: VoterId) {
    while let Ok((dialed, _)) = listener.accept().await {
        tokio::spawn(connect(dialed, port.clone(), voter));
    }
}

/// Either end that breaks takes the other along: both are dropped.
async fn connect(mut dialed: UnixStream, port: Port, voter: VoterId) {
    let mut early = Vec::new();
    let opened = tokio::select! {
        biased;
        opened = Stream::open(port, voter) => opened,
        () = gone(&mut dialed, &mut early) => return,
    };
    let Ok(mut stream) = opened else { return };
    if stream.write_all(&early).await.is_ok() {
        let _ = copy_bidirectional(&mut dialed, &mut stream).await;
    }
}

/// Waits until whoever dialed hangs up, and keeps what it writes meanwhile.
async fn gone(dialed: &mut UnixStream, early: &mut Vec<u8>) {
    while early.len() < EARLY_MAX {
        if !matches!(dialed.read_buf(early).await, Ok(1..)) {
            return;
        }
    }
    std::future::pending().await
}

/// How many bytes are taken over before a connection is open; the rest waits where it is.
const EARLY_MAX: usize = 1 << 16;
