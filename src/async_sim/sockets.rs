//! Nodes at addresses: a socket in the file system for each, for libraries that connect by themselves.
//!
//! Whoever connects to a node's socket is connected to the node by a [`Stream`], byte for byte, as by a proxy on the
//! client's own machine: what the world refuses or breaks ends the connection. Both ends are in one process, on one thread;
//! what is written on one end is there on the other when tokio next looks. What goes wrong on the machine is no fault of the
//! world: the run ends by a panic that says it. Must not look into bytes or retry.

use super::port::Port;
use super::stream::Stream;
use crate::name::VoterId;
use std::io::ErrorKind;
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
            let listener = UnixListener::bind(&path).unwrap_or_else(|error| {
                panic!("{}: no socket can be made: {error}; TMPDIR names another folder", path.display())
            });
            tokio::spawn(accept(listener, port.clone(), voter));
            listening.push(voter);
        }
        path
    }
}

async fn accept(listener: UnixListener, port: Port, voter: VoterId) {
    loop {
        match listener.accept().await {
            Ok((dialed, _)) => drop(tokio::spawn(connect(dialed, port.clone(), voter))),
            Err(error) => {
                let text =
                    format!("the socket of {voter} takes no connection: {error}; `ulimit -n` may be too low");
                return port.lock().fail(text);
            }
        }
    }
}

/// Either end that breaks takes the other along.
async fn connect(mut dialed: UnixStream, port: Port, voter: VoterId) {
    forward(&mut dialed, port, voter).await;
    // An end that is only dropped stays open while a program that is being started holds a copy of it.
    let _ = dialed.shutdown().await;
}

async fn forward(dialed: &mut UnixStream, port: Port, voter: VoterId) {
    let mut early = Vec::new();
    let opened = tokio::select! {
        biased;
        opened = Stream::open(port.clone(), voter) => opened,
        () = gone(dialed, &mut early) => return,
    };
    match opened {
        Ok(mut stream) => {
            if stream.write_all(&early).await.is_ok() {
                let _ = copy_bidirectional(dialed, &mut stream).await;
            }
        }
        Err(error) if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset) => {}
        Err(error) => port.lock().fail(format!("no further connection to {voter} is simulated: {error}")),
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

/// How many bytes are taken over before a connection is open; the rest waits where it is, and hides a hang-up until then.
const EARLY_MAX: usize = 1 << 16;
