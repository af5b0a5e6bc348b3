//! The clients: policy, workload and start of each, from the common tables and the client's own.

use super::super::error::{InputErrorKind, Wrong};
use super::super::shape::{ClientTable, Clients, LockKeys, LockTable, OneOrMany, WorkKeys, WorkloadTable};
use super::Scope;
use super::lock;
use super::number::{LONGEST_MS, distance_ms, in_range, ranged, span_ms};
use crate::lock::{Extension, Policy, Protocol};
use crate::name::{ClientId, Process};
use crate::time::{Span, WorldTime};
use crate::world::{Ack, ClientSetup, Task, Workload};
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;

/// The most cycles, writes and extensions a client may be asked for.
const REPEATS_MAX: i64 = 1_000_000;

/// What all clients share unless they say otherwise.
struct Shared {
    protocol: Protocol,
    /// No keys: the protocol has none.
    lock: Option<Spanned<LockKeys>>,
    stock: bool,
    work: Spanned<WorkKeys>,
    starts: Vec<WorldTime>,
}

impl Scope {
    /// All clients, in index order.
    pub(super) fn clients(
        self,
        lock: LockTable,
        clients: Clients,
        own: Vec<Spanned<ClientTable>>,
    ) -> Result<(Protocol, Vec<ClientSetup>), Wrong> {
        let starts = self.per_process(clients.start_ms.as_ref(), "start_ms", self.clients, 0..=LONGEST_MS)?;
        let (protocol, lock) = match lock {
            LockTable::Single(keys) => (Protocol::Single, Some(keys)),
            LockTable::Redlock(keys) => (Protocol::Redlock, Some(keys)),
            LockTable::None(_) => (Protocol::None, None),
        };
        let (stock, work) = match clients.workload {
            WorkloadTable::Hold(keys) => (false, mapped(keys, WorkKeys::from)),
            WorkloadTable::Stock(keys) => (true, mapped(keys, WorkKeys::from)),
        };
        let starts = starts.into_iter().map(|span| WorldTime::ZERO + span).collect();
        let shared = Shared { protocol, lock, stock, work, starts };
        let mut tables = self.by_client(own)?;
        // Every client without a table of its own is the same but for its start.
        let plain = self.client(&shared, 0, None)?;
        let all = (0..self.clients).map(|index| match tables[usize::from(index)].take() {
            Some(table) => self.client(&shared, index, Some(table)),
            None => Ok(ClientSetup { start: shared.starts[usize::from(index)], ..plain.clone() }),
        });
        Ok((protocol, all.collect::<Result<_, _>>()?))
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
        let (start, offset, lock, work) = match own {
            Some(own) => (own.start_ms, own.offset_ms, own.lock, own.workload),
            None => (None, None, None, None),
        };
        let policy = self.policy(shared, lock)?;
        let base = shared.work.get_ref().clone();
        let work = work.map_or(base.clone(), |own| own.over(base));
        Ok(ClientSetup {
            workload: workload(&work, shared.stock, &shared.work.span(), &policy)?,
            policy: Arc::new(policy),
            start: match start {
                Some(start) => WorldTime::ZERO + span_ms(&start, "start_ms", 0)?,
                None => shared.starts[usize::from(index)],
            },
            offset: offset.map_or(Ok(Span::ZERO), |offset| distance_ms(&offset, "offset_ms"))?,
        })
    }

    fn policy(self, shared: &Shared, own: Option<Spanned<LockKeys>>) -> Result<Policy, Wrong> {
        let Some(base) = &shared.lock else {
            return match own {
                Some(own) => Err(Wrong::contradiction(own.span(), "[lock.none] has no keys to override")),
                None => Ok(lock::no_lock()),
            };
        };
        let (table, keys) = match own {
            Some(own) => (own.span(), own.into_inner().over(base.get_ref().clone())),
            None => (base.span(), base.get_ref().clone()),
        };
        lock::policy(shared.protocol, &keys, &table, self.nodes)
    }
}

fn workload(keys: &WorkKeys, stock: bool, table: &Range<usize>, policy: &Policy) -> Result<Workload, Wrong> {
    let missing =
        |key: &str| Wrong::new(InputErrorKind::MissingKey, table.clone(), format!("missing key `{key}`"));
    let span = |number: &Option<Spanned<i64>>, key: &str, otherwise: Span| {
        number.as_ref().map_or(Ok(otherwise), |number| span_ms(number, key, 0))
    };
    let work = span_ms(keys.work_ms.as_ref().ok_or_else(|| missing("work_ms"))?, "work_ms", 0)?;
    let cycles = keys.cycles.as_ref().ok_or_else(|| missing("cycles"))?;
    let ack = keys.ack.as_ref().map_or(Ack::Await, |ack| *ack.get_ref());
    Ok(Workload {
        task: if stock { stock_task(keys)? } else { hold_task(keys, work, policy)? },
        cycles: ranged(cycles, "cycles", 1..=REPEATS_MAX)? as u32,
        work,
        patience: span(&keys.patience_ms, "patience_ms", Span::ZERO)?,
        again: span(&keys.again_ms, "again_ms", policy.retry.delay)?,
        think: span(&keys.think_ms, "think_ms", Span::ZERO)?,
        holder: *keys.holder.as_ref().ok_or_else(|| missing("holder"))?.get_ref(),
        ack,
    })
}

fn stock_task(keys: &WorkKeys) -> Result<Task, Wrong> {
    let writes = keys.writes.as_ref().map(|key| (key.span(), "writes"));
    let extends = keys.extend_at_ms.as_ref().map(|key| (key.span(), "extend_at_ms"));
    if let Some((span, key)) = writes.or(extends) {
        let message = format!("`{key}` belongs to the workload hold; the workload stock has no such key");
        return Err(Wrong::contradiction(span, message));
    }
    match &keys.ack {
        Some(ack) if *ack.get_ref() == Ack::FireAndForget => {
            let message = "a buyer waits for the store's answer; the workload stock needs ack = \"await\"";
            Err(Wrong::contradiction(ack.span(), message).meant("ack = \"await\""))
        }
        Some(_) | None => Ok(Task::Stock),
    }
}

fn hold_task(keys: &WorkKeys, work: Span, policy: &Policy) -> Result<Task, Wrong> {
    let writes = match &keys.writes {
        Some(writes) => ranged(writes, "writes", 0..=REPEATS_MAX)? as u32,
        None => 1,
    };
    let mut extend_at: Vec<Span> = Vec::new();
    if let Some(list) = &keys.extend_at_ms {
        if policy.extension == Extension::None && !list.get_ref().is_empty() {
            let message = "`extend_at_ms` needs a lock that extends: extension is \"none\"";
            return Err(Wrong::contradiction(list.span(), message).meant("extension = \"compare\""));
        }
        for number in list.get_ref() {
            let at = span_ms(number, "extend_at_ms", 0)?;
            if extend_at.last().is_some_and(|before| at <= *before) {
                return Err(Wrong::contradiction(number.span(), "`extend_at_ms` must rise"));
            }
            if at >= work {
                let message = format!("an extension after {at} comes too late: `work_ms` is over at {work}");
                return Err(Wrong::contradiction(number.span(), message));
            }
            extend_at.push(at);
        }
    }
    Ok(Task::Hold { writes, extend_at })
}

/// The client's index in messages and tables, and the same keys in the shape of any workload.
fn mapped<K>(keys: Spanned<K>, map: impl FnOnce(K) -> WorkKeys) -> Spanned<WorkKeys> {
    let span = keys.span();
    Spanned::new(span, map(keys.into_inner()))
}
