//! Whether a policy can be run, and whether what is unsound in it was asked for by name.
//!
//! Must not change a policy.

use super::error::PolicyError;
use super::{
    Counting, DriftSign, Extension, Fence, NonceLife, Policy, Protocol, Renewal, Taking, TtlUnit, WaitFor,
};
use super::{parts, unsound};
use crate::lock::contract::Ttl;
use crate::time::Span;

/// Whether a policy may be unsound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Soundness {
    /// Nonsense is refused.
    Required,
    /// The user wrote `unsound = true`.
    Waived,
}

impl Policy {
    /// Checks that the policy can be run, and that what is unsound was asked for by name.
    ///
    /// # Errors
    /// The first [`PolicyError`] found. `unsound` admits a TTL of 0 or none, a node timeout that is not shorter than the
    /// TTL, a quorum that is no majority, and the values that call themselves unsound.
    pub fn validate(&self, soundness: Soundness) -> Result<(), PolicyError> {
        self.validate_wait()?;
        if self.protocol == Protocol::None {
            return Ok(());
        }
        let (quorum, voters) = (self.quorum, self.voters);
        if self.protocol == Protocol::Single && voters != 1 {
            return Err(PolicyError::Single { voters });
        }
        let majority = voters / 2 + 1;
        if quorum == 0 || quorum > voters {
            return Err(PolicyError::Quorum { quorum, voters, majority });
        }
        self.validate_words(soundness)?;
        let sound = soundness == Soundness::Required;
        if sound && quorum < majority {
            return Err(PolicyError::NoMajority { quorum, voters, majority });
        }
        if self.node_timeout <= Span::ZERO {
            return Err(PolicyError::NoNodeTimeout);
        }
        match self.ttl {
            Ttl::Never if sound => return Err(PolicyError::NoTtl),
            Ttl::Never if self.extension != Extension::None => return Err(PolicyError::ExtensionWithoutTtl),
            Ttl::Never => {}
            Ttl::Of(ttl) if ttl < Span::from_ms(1) => {
                if sound {
                    return Err(PolicyError::ZeroTtl);
                }
            }
            Ttl::Of(ttl) if sound && self.ttl_unit == TtlUnit::S && ttl.as_ms_floor() % 1_000 != 0 => {
                let (key, value, sound) = ("ttl_unit", "s", "ms");
                return Err(PolicyError::Unsound { key, value, why: "rounds this TTL down", sound });
            }
            Ttl::Of(ttl) => {
                if sound && self.node_timeout >= ttl {
                    return Err(PolicyError::NodeTimeout { timeout: self.node_timeout, ttl });
                }
                let drift = self.drift.margin(ttl);
                if self.drift_sign == DriftSign::Subtracted && drift >= ttl {
                    return Err(PolicyError::Drift { drift, ttl });
                }
                if self.min_validity >= self.less_margin(ttl) {
                    return Err(PolicyError::Apart {
                        key: "min_validity",
                        why: "is all that the margin leaves of the TTL, or more: no attempt can be valid",
                        meant: "min_validity_ms = 0",
                    });
                }
            }
        }
        let limit = self.pace.limit.unwrap_or(Span::ZERO);
        let spans = [self.drift.constant, self.retry.delay, self.retry.jitter, self.min_validity, limit];
        if spans.iter().any(|span| *span < Span::ZERO) {
            return Err(PolicyError::Negative);
        }
        if self.driver_retries > Self::DRIVER_RETRIES_MAX {
            let (retries, most) = (self.driver_retries, Self::DRIVER_RETRIES_MAX);
            return Err(PolicyError::DriverRetries { retries, most });
        }
        self.validate_fence()?;
        parts::fit(self)?;
        if self.renewal == Renewal::Watchdog && self.extension == Extension::None {
            return Err(PolicyError::Renewal);
        }
        Ok(())
    }

    /// The words that are wrong whatever the numbers are.
    fn validate_words(&self, soundness: Soundness) -> Result<(), PolicyError> {
        match soundness {
            Soundness::Waived => Ok(()),
            Soundness::Required if self.counting == Counting::Replies => Err(PolicyError::CountingReplies),
            Soundness::Required if self.taking == Taking::SetnxExpire => Err(PolicyError::SetnxExpire),
            Soundness::Required if self.extension == Extension::Blind => Err(PolicyError::BlindExtension),
            Soundness::Required if self.nonce == NonceLife::Constant => Err(PolicyError::ConstantNonce),
            Soundness::Required => match unsound::word(self) {
                Some(error) => Err(error),
                None => Ok(()),
            },
        }
    }

    fn validate_fence(&self) -> Result<(), PolicyError> {
        match (self.fence, self.taking, self.counting) {
            (Fence::None, _, _) => Ok(()),
            (Fence::Incr, _, _) if self.voters != 1 => Err(PolicyError::Fence { voters: self.voters }),
            (Fence::Incr, Taking::SetNxPx, Counting::Grants) => Ok(()),
            (Fence::Incr, Taking::SetnxExpire | Taking::SetNxPxat | Taking::Reobtain, _) => {
                Err(PolicyError::FenceAlone { key: "taking", value: "set-nx-px" })
            }
            (Fence::Incr, Taking::SetNxPx, Counting::Replies) => {
                Err(PolicyError::FenceAlone { key: "counting", value: "grants" })
            }
        }
    }

    fn validate_wait(&self) -> Result<(), PolicyError> {
        if self.wait.replicas == WaitFor::None {
            return Ok(());
        }
        match self.protocol {
            Protocol::Single => {}
            Protocol::Redlock | Protocol::None => {
                return Err(PolicyError::Wait { protocol: self.protocol.name() });
            }
        }
        if self.wait.limit < Span::from_ms(1) {
            return Err(PolicyError::NoWaitLimit);
        }
        let wait = self.wait.request_limit(self.node_timeout);
        match self.ttl {
            // A life of less than a millisecond is unsound by itself.
            Ttl::Of(ttl) if ttl >= Span::from_ms(1) && wait >= ttl => {
                Err(PolicyError::WaitTooLong { wait, ttl })
            }
            Ttl::Of(_) | Ttl::Never => Ok(()),
        }
    }
}
