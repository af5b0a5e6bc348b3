//! Who may suffer what.

use super::super::super::error::{InputErrorKind, Wrong};
use super::super::super::shape::Targets;
use super::super::Scope;
use super::super::names::Named;
use crate::name::{ClientId, NodeId, Process};
use crate::plan::Fault;
use std::ops::Range;

impl Scope {
    pub(super) fn of_clients(
        self,
        of: &Targets,
        fault: &str,
        make: impl Fn(ClientId) -> Fault,
    ) -> Result<Vec<Fault>, Wrong> {
        let each = self.processes(of)?.into_iter().map(|Named { process, span }| match process {
            Process::Client(client) => Ok(make(client)),
            Process::Node(_) => Err(misplaced(process, &span, fault, "clients", Some("kill"))),
            Process::Store => Err(misplaced(process, &span, fault, "clients", None)),
        });
        each.collect()
    }

    pub(super) fn of_nodes(
        self,
        of: &Targets,
        fault: &str,
        make: impl Fn(NodeId) -> Fault,
    ) -> Result<Vec<Fault>, Wrong> {
        let each = self.processes(of)?.into_iter().map(|Named { process, span }| match process {
            Process::Node(node) => Ok(make(node)),
            Process::Client(_) => {
                let ends = ["kill", "power-loss", "shutdown"];
                let other = ends.contains(&fault).then_some("crash");
                Err(misplaced(process, &span, fault, "nodes", other))
            }
            Process::Store => Err(misplaced(process, &span, fault, "nodes", None)),
        });
        each.collect()
    }

    pub(super) fn of_clocks(
        self,
        of: &Targets,
        fault: &str,
        make: impl Fn(Process) -> Fault,
    ) -> Result<Vec<Fault>, Wrong> {
        let each = self.processes(of)?.into_iter().map(|Named { process, span }| match process {
            Process::Client(_) | Process::Node(_) => Ok(make(process)),
            Process::Store => Err(misplaced(process, &span, fault, "clients and nodes", None)),
        });
        each.collect()
    }
}

/// A fault at a process that cannot suffer it.
pub(super) fn misplaced(
    process: Process,
    span: &Range<usize>,
    fault: &str,
    whose: &str,
    instead: Option<&str>,
) -> Wrong {
    let message = format!("`{fault}` is for {whose}; {process} cannot suffer it");
    Wrong::new(InputErrorKind::Name, span.clone(), message).maybe_meant(instead.map(str::to_owned))
}
