//! What a lock offers and what it does without: the rows that people compare libraries by.
//!
//! Read off the recipe and what its core says of itself. Must not judge: a feature that is there can still be broken.

use super::contract::LockCore;
use super::core::Core;
use super::hash::Waiting;
use super::policy::{
    Counting, Drift, DriftSign, NonceLife, OnLoss, Policy, Release, ReleaseKey, ReleaseScope, Taking,
    Validity,
};
use super::recipe::Recipe;
use super::waiter::OnDoubt;
use crate::time::Span;
use bytes::Bytes;

/// One thing that a lock may offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    /// The key and its life are written in one step.
    AtomicAcquire,
    /// A release takes the own hold only, in one step.
    OwnerCheck,
    /// A holder may acquire again.
    Reentrant,
    /// It prolongs its hold by itself.
    Renewal,
    /// A call waits, instead of answering at once that the lock is taken.
    BlockingWait,
    /// Calls are served in their order.
    Fair,
    /// It asks several nodes and needs more than half of them.
    Majority,
    /// It takes something off the promise for clocks that drift, and looks at what is left.
    DriftMargin,
    /// Its grants carry fences.
    Fence,
    /// Its holder is told of a loss.
    TellsLoss,
    /// A failed attempt is taken back at every node.
    CleansUp,
}

impl Feature {
    /// All, with their texts.
    pub const TEXTS: [(Self, &'static str); 11] = [
        (Self::AtomicAcquire, "atomic acquire"),
        (Self::OwnerCheck, "owner check"),
        (Self::Reentrant, "reentrant"),
        (Self::Renewal, "renewal"),
        (Self::BlockingWait, "blocking wait"),
        (Self::Fair, "fair"),
        (Self::Majority, "majority"),
        (Self::DriftMargin, "drift margin"),
        (Self::Fence, "fence"),
        (Self::TellsLoss, "tells loss"),
        (Self::CleansUp, "cleans up"),
    ];

    /// Whether the lock of this recipe offers it.
    pub fn is_in(self, recipe: &Recipe) -> bool {
        let traits = Core::of(recipe, Bytes::from_static(b"resource")).describe();
        if traits.voters == 0 {
            return false;
        }
        let own = Own::of(recipe);
        match self {
            Self::AtomicAcquire => own.atomic,
            Self::OwnerCheck => own.compares,
            Self::Reentrant => traits.reentrant,
            Self::Renewal => traits.renewal.is_some(),
            Self::BlockingWait => own.waits,
            Self::Fair => traits.fifo,
            Self::Majority => traits.voters > 1 && u16::from(traits.quorum) * 2 > u16::from(traits.voters),
            Self::DriftMargin => own.margin,
            Self::Fence => traits.fenced,
            Self::TellsLoss => traits.renewal.is_some() && own.tells,
            Self::CleansUp => own.cleans,
        }
    }
}

/// What only the policy says.
struct Own {
    atomic: bool,
    compares: bool,
    waits: bool,
    margin: bool,
    tells: bool,
    cleans: bool,
}

impl Own {
    fn of(recipe: &Recipe) -> Self {
        match recipe {
            Recipe::Quorum(policy) => Self::of_quorum(policy),
            // One script takes a hold, another one gives back what is the owner's.
            Recipe::Hash(policy) => Self {
                atomic: true,
                compares: true,
                waits: policy.waiting != Waiting::None,
                margin: false,
                tells: policy.on_loss == OnLoss::Tell,
                cleans: false,
            },
            Recipe::Waiter(policy) => Self {
                atomic: true,
                compares: true,
                waits: true,
                margin: policy.validity == Validity::Checked && has_margin(policy.drift),
                tells: policy.on_loss == OnLoss::Tell,
                cleans: policy.on_doubt == OnDoubt::Undo,
            },
            Recipe::Multi(policy) => Self {
                atomic: true,
                compares: true,
                waits: true,
                margin: policy.validity == Validity::Checked && has_margin(policy.drift),
                tells: policy.on_loss == OnLoss::Tell,
                cleans: true,
            },
        }
    }

    fn of_quorum(policy: &Policy) -> Self {
        let compares = match policy.release {
            Release::CompareAndDelete | Release::WatchMultiExec | Release::DelexIfeq => true,
            Release::PlainDel | Release::GetThenDel | Release::WatchGetDel => false,
        };
        let counts = policy.validity == Validity::Checked && policy.counting == Counting::Grants;
        Self {
            atomic: policy.taking != Taking::SetnxExpire,
            compares: compares
                && policy.release_key == ReleaseKey::Own
                && policy.nonce != NonceLife::Constant,
            waits: policy.retry.retries > 0,
            margin: counts
                && policy.drift_sign == DriftSign::Subtracted
                && (has_margin(policy.drift) || policy.min_validity > Span::ZERO),
            tells: policy.on_loss == OnLoss::Tell,
            cleans: policy.release_on_failure == ReleaseScope::All,
        }
    }
}

/// Whether something is taken off the life.
fn has_margin(drift: Drift) -> bool {
    drift.permille > 0 || drift.constant > Span::ZERO
}
