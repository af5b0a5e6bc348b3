//! Who took part: which client a grant belongs to, how long two things lasted together.
//!
//! Reads records only. Must not judge.

use crate::history::{Access, Fact, PromiseEnd, Record};
use crate::lock::Until;
use crate::name::{ClientId, GrantId};
use crate::time::{Span, WorldTime};
use std::collections::{BTreeMap, BTreeSet};

/// The grants of a run and their owners.
#[derive(Clone, Debug)]
pub(super) struct Cast<'a> {
    records: &'a [Record],
    owners: BTreeMap<GrantId, ClientId>,
    /// Grants of which nobody said until when.
    untold: BTreeSet<GrantId>,
    end: WorldTime,
}

impl<'a> Cast<'a> {
    pub(super) fn of(records: &'a [Record], end: WorldTime) -> Self {
        let granted = records.iter().filter_map(|record| {
            let Fact::Granted { call, grant, .. } = record.fact else { return None };
            Some((grant, call.client))
        });
        let untold = records.iter().filter_map(|record| {
            let Fact::Granted { grant, until: Until::Untold, .. } = record.fact else { return None };
            Some(grant)
        });
        Self { records, owners: granted.collect(), untold: untold.collect(), end }
    }

    /// Whether somebody said until when this grant is promised.
    pub(super) fn is_told(&self, grant: GrantId) -> bool {
        !self.untold.contains(&grant)
    }

    /// `client-1`, or `grant 3` where the records do not say whose it is.
    pub(super) fn owner(&self, grant: GrantId) -> String {
        self.owners.get(&grant).map_or_else(|| grant.to_string(), ClientId::to_string)
    }

    /// What was sold in the end, of a run whose workload buys.
    pub(super) fn stock(&self) -> Option<String> {
        let (left, orders, start) = self.records.iter().rev().find_map(|record| {
            let Fact::StoreWrite { accepted: true, access: Access::Buy { left, orders, start, .. }, .. } =
                record.fact
            else {
                return None;
            };
            Some((left, orders, start))
        })?;
        let oversold = (orders - start).max(0);
        Some(format!("{orders} orders were accepted for {start} items, {left} are left: {oversold} oversold"))
    }

    /// From `since`, when both promises run, until one of them ends.
    pub(super) fn promises_together(&self, one: GrantId, other: GrantId, since: &Record) -> Together {
        self.together(since, |fact| {
            matches!(fact, Fact::PromiseEnded { grant, why }
                if (*grant == one || *grant == other) && *why != PromiseEnd::Replaced)
        })
    }

    /// From `since`, when both are inside, until one of them leaves.
    pub(super) fn sections_together(&self, one: GrantId, other: GrantId, since: &Record) -> Together {
        self.together(
            since,
            |fact| matches!(fact, Fact::SectionLeft { grant, .. } if *grant == one || *grant == other),
        )
    }

    fn together(&self, since: &Record, over: impl Fn(&Fact) -> bool) -> Together {
        let from = self.records.iter().position(|record| std::ptr::eq(record, since)).unwrap_or(0);
        match self.records[from..].iter().find(|record| over(&record.fact)) {
            Some(record) => Together::For(record.at - since.at),
            None => Together::ToTheEnd(self.end - since.at),
        }
    }
}

/// How long two things lasted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Together {
    /// This long.
    For(Span),
    /// From then on; the run ended after this long.
    ToTheEnd(Span),
}

impl std::fmt::Display for Together {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::For(span) => write!(f, "for {}", super::words::human(*span)),
            Self::ToTheEnd(span) => write!(f, "for the remaining {} of the run", super::words::human(*span)),
        }
    }
}
