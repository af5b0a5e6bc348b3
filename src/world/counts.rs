//! How often a client did what names count.
//!
//! Must not decide anything: names, and what numbers them, are all that look here.

/// Numbers of names, over the incarnation; calls and timer firings over the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) calls: u32,
    pub(crate) acquires: u32,
    pub(crate) grants: u32,
    pub(crate) refusals: u32,
    pub(crate) enters: u32,
    pub(crate) checks: u32,
    pub(crate) writes: u32,
    pub(crate) reads: u32,
    pub(crate) claims: u32,
    pub(crate) extends: u32,
    pub(crate) leaves: u32,
    pub(crate) releases: u32,
    pub(crate) awaits: u32,
    pub(crate) firings: u32,
}

impl Counts {
    pub(crate) const ZERO: Self = Self {
        calls: 0,
        acquires: 0,
        grants: 0,
        refusals: 0,
        enters: 0,
        checks: 0,
        writes: 0,
        reads: 0,
        claims: 0,
        extends: 0,
        leaves: 0,
        releases: 0,
        awaits: 0,
        firings: 0,
    };
}
