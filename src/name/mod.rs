//! Names of processes, messages and moments: what faults, directives and people refer to.
//!
//! A name never counts over a link, so that removing a fault, adding a node or swapping the algorithm leaves
//! every other name as it was. Must not know what a message carries. Inside the code indices are 0-based;
//! text is 1-based: `client-1`, `node-3`, `store`.

mod id;
mod message;
mod parse;
mod point;
mod process;

pub use id::{CallId, GrantId, Nonce};
pub use message::{CommandName, Direction, MessageName, Operation, Route, StoreAccess};
pub use parse::NameError;
pub use point::{Point, PointName};
pub use process::{ClientId, NodeId, Process, VoterId, Worker};

/// Anything a fault can come directly after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// A message is handled by its target.
    Message(MessageName),
    /// A client reaches a point of its own code.
    Point(PointName),
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Message(name) => name.fmt(f),
            Self::Point(name) => name.fmt(f),
        }
    }
}

/// In a program's output a name is its text.
macro_rules! serialize_by_display {
    ($($kind:ty),*) => {$(
        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}
serialize_by_display!(CallId, ClientId, MessageName, NodeId, Operation, PointName, Process, VoterId);
