//! Marks: small names of single records, so that a verdict can point at what proves it.
//!
//! Must not hold a record: a mark is `Copy` and is looked up again in the history by whoever writes a report.

use crate::history::{Access, Fact, HoldEffect, Record, Watch, WatchEnd};
use crate::name::{CallId, GrantId, VoterId};

/// Which record is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// A call of acquire began.
    AcquireBegan(CallId),
    /// A node wrote a hold key for this call.
    Wrote(CallId),
    /// A node changed or removed a live value of another call.
    Changed {
        /// On whose behalf.
        by: CallId,
        /// Whose value.
        owner: CallId,
    },
    /// A call was granted.
    Granted(GrantId),
    /// A call was granted with this fence.
    Fence(i64),
    /// A node executed a command for a call.
    Came(CallId),
    /// A command to acquire took a hold for a call.
    Served(CallId),
    /// Holds were counted for the owner of this grant.
    Counted(GrantId),
    /// A call was refused.
    Refused(CallId),
    /// An extension succeeded.
    Extended(GrantId),
    /// A promise interval opened.
    PromiseBegan(GrantId),
    /// A rival could win a quorum while the promise ran.
    Unbacked(GrantId),
    /// A client entered the section.
    SectionEntered(GrantId),
    /// The store served a read.
    StoreRead(GrantId),
    /// The store accepted or refused a write.
    StoreWrite {
        /// Of which grant.
        grant: GrantId,
        /// Whether it took effect.
        accepted: bool,
    },
    /// The store accepted that something was done for this time.
    Ran {
        /// Which period or order, from 0.
        item: u32,
        /// How often it was done then.
        times: u32,
    },
    /// A watch began.
    WatchBegan(Watch),
    /// What was watched for did not come.
    WatchMissed(Watch),
    /// A hold key was left over.
    LeftOver {
        /// Where.
        node: VoterId,
        /// Who wrote it.
        writer: CallId,
    },
    /// Evidence that a canonical form dropped, because no future depends on it. Matches no record.
    Forgotten,
}

impl Mark {
    /// Whether this record is meant. More than one may be, of which [`super::Violation::evidence`] picks.
    pub fn matches(&self, record: &Record) -> bool {
        let fact = &record.fact;
        match *self {
            Self::AcquireBegan(wanted) => matches!(*fact, Fact::AcquireBegan { call } if call == wanted),
            Self::Wrote(wanted) => written_by(fact) == Some(wanted),
            Self::Changed { by: wanted, owner } => {
                matches!(*fact, Fact::Applied { by, change: Some(change), .. }
                    if by == wanted && change.owner == Some(owner))
            }
            Self::Granted(wanted) => matches!(*fact, Fact::Granted { grant, .. } if grant == wanted),
            Self::Fence(wanted) => matches!(*fact, Fact::Granted { fence, .. } if fence == Some(wanted)),
            Self::Came(wanted) => matches!(*fact, Fact::Applied { by, .. } if by == wanted),
            Self::Served(wanted) => {
                matches!(*fact, Fact::Applied { by, change: Some(change), .. }
                    if by == wanted && change.effect.takes(change.operation))
            }
            Self::Counted(wanted) => matches!(*fact, Fact::HoldsCounted { grant, .. } if grant == wanted),
            Self::Refused(wanted) => matches!(*fact, Fact::Refused { call, .. } if call == wanted),
            Self::Extended(wanted) => matches!(*fact, Fact::Extended { grant, .. } if grant == wanted),
            Self::PromiseBegan(wanted) => {
                matches!(*fact, Fact::PromiseBegan { grant, .. } if grant == wanted)
            }
            Self::Unbacked(wanted) => {
                matches!(*fact, Fact::Backing { grant, winnable, quorum, promised: true, .. }
                    if grant == wanted && winnable >= quorum)
            }
            Self::SectionEntered(wanted) => {
                matches!(*fact, Fact::SectionEntered { grant } if grant == wanted)
            }
            Self::StoreRead(wanted) => matches!(*fact, Fact::StoreRead { grant, .. } if grant == wanted),
            Self::StoreWrite { grant: wanted, accepted: took } => {
                matches!(*fact, Fact::StoreWrite { grant, accepted, .. } if grant == wanted && accepted == took)
            }
            Self::Ran { item: wanted, times: often } => {
                matches!(*fact, Fact::StoreWrite { accepted: true, access: Access::Run { item, times }, .. }
                    if item == wanted && times == often)
            }
            Self::WatchBegan(wanted) => matches!(*fact, Fact::WatchBegan { watch, .. } if watch == wanted),
            Self::WatchMissed(wanted) => {
                matches!(*fact, Fact::WatchOver { watch, end: WatchEnd::Missed } if watch == wanted)
            }
            Self::LeftOver { node: at, writer: wanted } => {
                matches!(*fact, Fact::LeftOver { node, writer, .. } if node == at && writer == wanted)
            }
            Self::Forgotten => false,
        }
    }
}

/// The call for which this fact says that a hold key was written.
pub(super) fn written_by(fact: &Fact) -> Option<CallId> {
    let Fact::Applied { by, change: Some(change), .. } = fact else { return None };
    (change.effect == HoldEffect::Written).then_some(*by)
}
