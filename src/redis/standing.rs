//! What a server process is to the others: its role, and whether it may write.
//!
//! Set from outside; nothing here decides it. Source: Redis 7.0.15.

use super::error::CommandError;

/// Whether a process follows another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Its own: it writes, and deletes what has expired.
    Primary,
    /// Its data is its primary's. It refuses to write, hides what has expired by its own clock, and deletes nothing.
    Replica,
}

/// Whether a primary may write: `min-replicas-to-write`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writes {
    /// It may.
    Allowed,
    /// Too few good replicas: every command with the flag `write` is refused. Expired keys are still deleted.
    TooFewReplicas,
}

/// Everything a command can notice of the process' place among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Standing {
    pub(super) role: Role,
    pub(super) writes: Writes,
    /// How many replicas are connected.
    pub(super) replicas: u8,
}

/// Why nothing may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    ReadOnly,
    TooFewReplicas,
}

impl Standing {
    /// A process that nobody follows and that follows nobody.
    pub(super) const ALONE: Self = Self { role: Role::Primary, writes: Writes::Allowed, replicas: 0 };

    /// Why a command with the flag `write` is refused, if it is. A replica does not count replicas of its own.
    pub(super) fn refusal(self) -> Option<Refusal> {
        match (self.role, self.writes) {
            (Role::Replica, _) => Some(Refusal::ReadOnly),
            (Role::Primary, Writes::TooFewReplicas) => Some(Refusal::TooFewReplicas),
            (Role::Primary, Writes::Allowed) => None,
        }
    }
}

impl Refusal {
    /// For a command with the flag `write`.
    pub(super) fn of_command(self) -> CommandError {
        match self {
            Self::ReadOnly => CommandError::ReadOnly,
            Self::TooFewReplicas => CommandError::NoReplicas,
        }
    }

    /// For a script that declares that it writes, when it starts.
    pub(super) fn of_script(self) -> CommandError {
        match self {
            Self::ReadOnly => CommandError::ReadOnlyScript,
            Self::TooFewReplicas => CommandError::NoReplicas,
        }
    }
}
