//! What a run contains, as far as it decides which oracles apply.
//!
//! Must not change during a run: whoever builds the world states it once. Each monitor's header says which
//! fields decide about it.

use super::readers::Readers;

/// What a run contains. An oracle that cannot possibly be exercised in it is *n/a*.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// How many clients there are.
    pub clients: u16,
    /// Whether any client's lock asks voters; `none` asks nobody.
    pub asks: bool,
    /// Whether any client's grants carry fences.
    pub fenced: bool,
    /// Whether any hold is ever prolonged, by its caller or by a watchdog.
    pub extends: bool,
    /// Whether any hold is prolonged by a watchdog.
    pub renews: bool,
    /// Whether any client writes to the store.
    pub writes: bool,
    /// Whether the store refuses writes in some mode of its own: it is not plain.
    pub store_refuses: bool,
    /// Whether any client's workload has an invariant of its own: `stock`, `cron`, `submit`.
    pub invariant: bool,
    /// Whether a holder of any client's lock may acquire again.
    pub reentrant: bool,
    /// Whether any client's lock is first-come, on one voter.
    pub fifo: bool,
    /// The clients whose grants are shared.
    pub readers: Readers,
}
