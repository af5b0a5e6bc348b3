//! Which grants are at something right now, and whose they are: promises that run, sections that are open.
//!
//! Must not remember anything that has ended.

use crate::canon::Canon;
use crate::name::{ClientId, GrantId};
use smallvec::SmallVec;

/// The grants in progress, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Occupancy(SmallVec<[(GrantId, ClientId); 2]>);

impl Occupancy {
    pub(super) fn empty() -> Self {
        Self(SmallVec::new())
    }

    pub(super) fn begin(&mut self, grant: GrantId, client: ClientId) {
        if let Err(place) = self.0.binary_search(&(grant, client)) {
            self.0.insert(place, (grant, client));
        }
    }

    pub(super) fn end(&mut self, grant: GrantId) {
        self.0.retain(|(known, _)| *known != grant);
    }

    /// The oldest grant of another client that is in progress.
    pub(super) fn rival_of(&self, client: ClientId) -> Option<GrantId> {
        self.0.iter().find(|(_, owner)| *owner != client).map(|(grant, _)| *grant)
    }

    pub(super) fn kept(&self, kept: &mut Vec<GrantId>) {
        kept.extend(self.0.iter().map(|(grant, _)| *grant));
    }

    pub(super) fn canonical(&mut self, canon: &mut Canon) {
        self.0.iter_mut().for_each(|(grant, _)| canon.grant(grant));
    }
}
