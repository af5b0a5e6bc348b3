//! The newest grant of some kind, kept only while an older one can still act.
//!
//! Must not be asked about anything but "is there a newer one than this".

use crate::canon::Canon;
use crate::name::GrantId;

/// The newest grant seen, if it can matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Newest(Option<GrantId>);

impl Newest {
    pub(super) const fn none() -> Self {
        Self(None)
    }

    pub(super) fn see(&mut self, grant: GrantId) {
        self.0 = self.0.max(Some(grant));
    }

    /// The newest, if it is newer than this one.
    pub(super) fn newer_than(&self, grant: GrantId) -> Option<GrantId> {
        self.0.filter(|newest| *newest > grant)
    }

    pub(super) fn kept(&self, kept: &mut Vec<GrantId>) {
        kept.extend(self.0);
    }

    /// Nothing that can still act is older: every question from here on has the same answer without it.
    pub(super) fn retire(&mut self, live: &[GrantId]) {
        self.0 = self.0.filter(|newest| live.iter().any(|grant| grant < newest));
    }

    pub(super) fn canonical(&mut self, canon: &mut Canon) {
        if let Some(grant) = &mut self.0 {
            canon.grant(grant);
        }
    }
}
