//! Points of a client's own code: `client-1#1:write.1.check`.

use super::ClientId;
use std::fmt;

/// A point that one client incarnation reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointName {
    /// The client.
    pub client: ClientId,
    /// Its incarnation, 1 before its first crash.
    pub incarnation: u16,
    /// Where it is.
    pub point: Point,
}

/// A point of the client's code. Every number counts over the incarnation, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// Called acquire. `acquire.N`
    Acquire(u32),
    /// Was granted. `granted.N`, N counts grants.
    Granted(u32),
    /// Entered the section. `enter.N`
    Enter(u32),
    /// Checked its promise before write N (holder `never`: decided to write). `write.N.check`
    WriteCheck(u32),
    /// Sent write N. `write.N.send`
    WriteSend(u32),
    /// Called extend. `extend.N`
    Extend(u32),
    /// Left the section. `leave.N`
    Leave(u32),
    /// Called release. `release.N`
    Release(u32),
    /// Was told that its call of acquire ended without a grant. `refused.N`
    Refused(u32),
    /// Its call of acquire waited for something, N counts such waits: code outside of the world only. `await.N`
    Await(u32),
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Acquire(n) => write!(f, "acquire.{n}"),
            Self::Granted(n) => write!(f, "granted.{n}"),
            Self::Enter(n) => write!(f, "enter.{n}"),
            Self::WriteCheck(n) => write!(f, "write.{n}.check"),
            Self::WriteSend(n) => write!(f, "write.{n}.send"),
            Self::Extend(n) => write!(f, "extend.{n}"),
            Self::Leave(n) => write!(f, "leave.{n}"),
            Self::Release(n) => write!(f, "release.{n}"),
            Self::Refused(n) => write!(f, "refused.{n}"),
            Self::Await(n) => write!(f, "await.{n}"),
        }
    }
}

impl fmt::Display for PointName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}:{}", self.client, self.incarnation, self.point)
    }
}
