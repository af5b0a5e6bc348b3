//! A connection as a stream of bytes: what any Redis client of tokio can work on.
//!
//! Whole commands go out as soon as their last byte is written. Must not know what is in them.

use super::port::{Port, Reads};
use crate::name::VoterId;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// An open connection to one node. Dropping it closes it; what was written may still arrive.
pub struct Stream {
    port: Port,
    id: u64,
}

impl Stream {
    /// Opens a connection to the node of this voter that the client addresses.
    ///
    /// # Errors
    /// It was refused.
    pub(super) async fn open(port: Port, voter: VoterId) -> io::Result<Self> {
        let connection = port.lock().free(voter)?;
        let id = port.lock().open(voter, connection, Reads::Bytes);
        let stream = Self { port, id };
        std::future::poll_fn(|context| stream.port.lock().poll_open(id, context)).await?;
        Ok(stream)
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let bytes = ready!(self.port.lock().poll_bytes(self.id, buffer.remaining(), context))?;
        buffer.put_slice(&bytes);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.port.lock().write(self.id, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.port.lock().close(self.id);
        Poll::Ready(Ok(()))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.port.lock().close(self.id);
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("id", &self.id).finish_non_exhaustive()
    }
}
