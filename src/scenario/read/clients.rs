//! The clients: policy, workload and start of each, from the common tables and the client's own.

use super::super::error::{InputErrorKind, Wrong};
use super::super::shape::{ClientTable, Clients, LockKeys, LockTable, OneOrMany, Task, WorkKeys};
use super::Scope;
use super::number::{LONGEST_MS, distance_ms, in_range, ranged, span_ms};
use super::{lock, workload};
use crate::name::{ClientId, Process};
use crate::time::{Span, WorldTime};
use crate::world::ClientSetup;
use toml::Spanned;

/// What all clients share unless they say otherwise.
struct Shared {
    lock: LockTable<LockKeys>,
    task: Task,
    work: Spanned<WorkKeys>,
    starts: Vec<WorldTime>,
}

impl Scope {
    /// All clients, in index order.
    pub(super) fn clients(
        self,
        lock: LockTable<LockKeys>,
        clients: Clients,
        own: Vec<Spanned<ClientTable>>,
    ) -> Result<Vec<ClientSetup>, Wrong> {
        let starts = self.per_process(clients.start_ms.as_ref(), "start_ms", self.clients, 0..=LONGEST_MS)?;
        let (task, work) = clients.workload.split();
        let starts = starts.into_iter().map(|span| WorldTime::ZERO + span).collect();
        let shared = Shared { lock, task, work, starts };
        let mut tables = self.by_client(own)?;
        // Every client without a table of its own is the same but for its start.
        let plain = self.client(&shared, 0, None)?;
        let all = (0..self.clients).map(|index| match tables[usize::from(index)].take() {
            Some(table) => self.client(&shared, index, Some(table)),
            None => Ok(ClientSetup { start: shared.starts[usize::from(index)], ..plain.clone() }),
        });
        all.collect()
    }

    /// One number for all, or one for each of `count`; 0 if left out.
    pub(super) fn per_process(
        self,
        numbers: Option<&Spanned<OneOrMany<i64>>>,
        key: &str,
        count: u16,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<Vec<Span>, Wrong> {
        let Some(numbers) = numbers else { return Ok(vec![Span::ZERO; count.into()]) };
        match numbers.get_ref() {
            OneOrMany::One(number) => {
                let span = Span::from_ms(in_range(*number, numbers.span(), key, range)?);
                Ok(vec![span; count.into()])
            }
            OneOrMany::Many(list) if list.len() != usize::from(count) => {
                let message =
                    format!("`{key}` has {} entries; {count} are needed, or one number", list.len());
                Err(Wrong::contradiction(numbers.span(), message))
            }
            OneOrMany::Many(list) => {
                list.iter().map(|number| ranged(number, key, range.clone()).map(Span::from_ms)).collect()
            }
        }
    }

    /// The clients' own tables by index: by `id`, else by their order.
    fn by_client(self, own: Vec<Spanned<ClientTable>>) -> Result<Vec<Option<ClientTable>>, Wrong> {
        let mut tables: Vec<Option<ClientTable>> = (0..self.clients).map(|_| None).collect();
        for (order, table) in own.into_iter().enumerate() {
            let place = table.span();
            let table = table.into_inner();
            let (index, span) = match &table.id {
                Some(id) => match self.process(id.get_ref(), &id.span())? {
                    Process::Client(ClientId(index)) => (usize::from(index), id.span()),
                    process @ (Process::Node(_) | Process::Store) => {
                        let message = format!("{process} is no client");
                        return Err(Wrong::new(InputErrorKind::Name, id.span(), message).meant("client-1"));
                    }
                },
                None => (order, place),
            };
            let Some(slot) = tables.get_mut(index) else {
                let message = format!("more [[client]] tables than clients ({})", self.clients);
                return Err(Wrong::contradiction(span, message));
            };
            if slot.is_some() {
                let client = ClientId(index as u16);
                return Err(Wrong::contradiction(span, format!("{client} already has a table")));
            }
            *slot = Some(table);
        }
        Ok(tables)
    }

    fn client(self, shared: &Shared, index: u16, own: Option<ClientTable>) -> Result<ClientSetup, Wrong> {
        let (start, offset, lock, own_lock, work) = match own {
            Some(own) => (own.start_ms, own.offset_ms, own.lock, own.own_lock, own.workload),
            None => (None, None, None, None, None),
        };
        let lock = match (&lock, &own_lock) {
            (Some(keys), Some(_)) => {
                let message = "`own_lock` is this client's whole lock: `lock` has nothing to override";
                return Err(Wrong::contradiction(keys.span(), message));
            }
            (None, Some(table)) => lock::recipe(table.get_ref(), None, self.nodes)?,
            (keys, None) => lock::recipe(&shared.lock, keys.as_ref(), self.nodes)?,
        };
        let base = shared.work.get_ref().clone();
        let work = work.map_or(base.clone(), |own| own.over(base));
        Ok(ClientSetup {
            workload: workload::workload(&work, &shared.task, &shared.work.span(), &lock)?,
            lock,
            start: match start {
                Some(start) => WorldTime::ZERO + span_ms(&start, "start_ms", 0)?,
                None => shared.starts[usize::from(index)],
            },
            offset: offset.map_or(Ok(Span::ZERO), |offset| distance_ms(&offset, "offset_ms"))?,
        })
    }
}
