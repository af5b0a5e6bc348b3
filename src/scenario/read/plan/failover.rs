//! `promote`, `demote` and `lag`: what happens between the nodes of one voter.

use super::super::super::error::{InputErrorKind, Wrong};
use super::super::super::shape::{ByKeys, Learning, MomentKeys, PromoteKeys};
use super::super::Scope;
use super::super::names::Named;
use super::super::number::{LONGEST_MS, in_range, ranged};
use crate::name::{ClientId, NodeId, Process};
use crate::plan::{Fault, Learn};
use crate::time::Span;
use std::ops::Range;
use toml::Spanned;

impl Scope {
    pub(super) fn promotion(self, keys: &PromoteKeys) -> Result<Vec<Fault>, Wrong> {
        let place = keys.of.span();
        let process = self.process(keys.of.get_ref(), &place)?;
        let node = self.member(Named { process, span: place }, "promote")?;
        let learn = match (&keys.learn_ms, &keys.learn_us) {
            (Some(_), Some(us)) => {
                let message = "`learn_ms` and `learn_us` are both set; keep one of them";
                return Err(Wrong::contradiction(us.span(), message));
            }
            (Some(learning), None) => learn(*learning.get_ref(), learning.span(), "learn_ms")?,
            (None, Some(us)) => Learn::After(us_after(us, "learn_us")?),
            (None, None) => Learn::Soon,
        };
        Ok(vec![Fault::Promote { node, learn, except: self.exceptions(keys)? }])
    }

    /// The clients that learn at another time, in index order.
    fn exceptions(self, keys: &PromoteKeys) -> Result<Vec<(ClientId, Learn)>, Wrong> {
        let mut except: Vec<(ClientId, Learn)> = Vec::new();
        let ms = keys
            .except
            .iter()
            .flat_map(|table| table.get_ref())
            .map(|(name, learning)| (name, learn(*learning.get_ref(), learning.span(), name.get_ref())));
        let us = keys
            .except_us
            .iter()
            .flat_map(|table| table.get_ref())
            .map(|(name, number)| (name, us_after(number, name.get_ref()).map(Learn::After)));
        for (name, learn) in ms.chain(us) {
            let client = match self.process(name.get_ref(), &name.span())? {
                Process::Client(client) => client,
                process @ (Process::Node(_) | Process::Store) => {
                    let message = format!("{process} is no client; clients learn of a promotion");
                    return Err(Wrong::new(InputErrorKind::Name, name.span(), message).meant("client-1"));
                }
            };
            if except.iter().any(|(known, _)| *known == client) {
                return Err(Wrong::contradiction(name.span(), format!("{client} is named twice")));
            }
            except.push((client, learn?));
        }
        except.sort_unstable();
        Ok(except)
    }

    pub(super) fn demotions(self, keys: &MomentKeys) -> Result<Vec<Fault>, Wrong> {
        let demote = |named| self.member(named, "demote").map(|node| Fault::Demote { node });
        self.processes(&keys.of)?.into_iter().map(demote).collect()
    }

    pub(super) fn lags(self, keys: &ByKeys) -> Result<Vec<Fault>, Wrong> {
        let by = self.by(keys)?;
        let lag = |named| self.member(named, "lag").map(|node| Fault::Lag { node, by });
        self.processes(&keys.of)?.into_iter().map(lag).collect()
    }

    /// A node of a voter that has replicas.
    fn member(self, named: Named, fault: &str) -> Result<NodeId, Wrong> {
        let Named { process, span } = named;
        let Process::Node(node) = process else {
            let message = format!("`{fault}` is for nodes and replicas; {process} cannot suffer it");
            return Err(Wrong::new(InputErrorKind::Name, span, message).maybe_meant(self.a_replica()));
        };
        if self.replicas_of(node.voter) == 0 {
            let message = format!("`{fault}` needs replicas; {} has none", node.voter);
            return Err(Wrong::contradiction(span, message).maybe_meant(self.a_replica()));
        }
        Ok(node)
    }
}

fn learn(learning: Learning, place: Range<usize>, key: &str) -> Result<Learn, Wrong> {
    match learning {
        Learning::After(ms) => {
            in_range(ms, place, key, 0..=LONGEST_MS).map(|ms| Learn::After(Span::from_ms(ms)))
        }
        Learning::Soon => Ok(Learn::Soon),
        Learning::Never => Ok(Learn::Never),
    }
}

fn us_after(us: &Spanned<i64>, key: &str) -> Result<Span, Wrong> {
    ranged(us, key, 0..=LONGEST_MS * 1_000).map(Span)
}
