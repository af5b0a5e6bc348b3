//! The whole file: run, deployment, store and network, then the other parts.

use super::super::LinkLatency;
use super::super::error::{InputErrorKind, Wrong};
use super::super::shape::{File, Store};
use super::number::{ranged, span_ms};
use super::{Scope, expect, lock};
use crate::check::Expectation;
use crate::plan::Quantiles;
use crate::time::{Span, WorldTime};
use crate::world::{ClientSetup, Connections, OfflineQueue, OnTimeout, Setup, StoreMode, StoreSetup, Task};
use bytes::Bytes;
use toml::Spanned;

/// The version of the format.
pub(super) const FORMAT: i64 = 1;

/// The name of the guarded resource in Redis.
const KEY: &[u8] = b"resource";

/// The most clients.
const CLIENTS_MAX: i64 = 1_000;

/// Seeds are exact in every number format that JSON readers use: below 2^53.
const SEED_MAX: i64 = (1 << 53) - 1;

/// The most items in stock.
const STOCK_MAX: i64 = 1_000_000_000;

/// What is read of a file.
pub(in crate::scenario) struct Read {
    pub(in crate::scenario) title: String,
    pub(in crate::scenario) claim: String,
    pub(in crate::scenario) source: Vec<String>,
    pub(in crate::scenario) seed: u64,
    pub(in crate::scenario) setup: Setup,
    pub(in crate::scenario) latency: Quantiles,
    pub(in crate::scenario) links: Vec<LinkLatency>,
    pub(in crate::scenario) expect: Option<Expectation>,
}

/// Everything in the file, or the first thing wrong with it.
pub(in crate::scenario) fn read(file: File) -> Result<Read, Wrong> {
    known_format(&file.format)?;
    let (title, claim) = (sentence(file.title, "title")?, sentence(file.claim, "claim")?);
    let seed = ranged(&file.run.seed, "seed", 0..=SEED_MAX)? as u64;
    let limit = WorldTime::ZERO + span_ms(&file.run.limit_ms, "limit_ms", 1)?;
    let clients = ranged(&file.clients.count, "count", 1..=CLIENTS_MAX)? as u16;
    let scope = Scope::of(&file.deployment, clients, limit)?;
    let nodes = scope.deployed(&file.deployment)?;
    let clients = scope.clients(file.lock.into_inner(), file.clients, file.client)?;
    let settle = settle(&file.run.settle_ms, &clients)?;
    let (latency, links) = scope.latencies(&file.network)?;
    let slowest = links.iter().map(|link| link.latency.max()).chain([latency.max()]).max();
    let setup = Setup {
        key: Bytes::from_static(KEY),
        nodes,
        store: store(file.store.as_ref(), &clients)?,
        clients,
        plan: scope.plan(&file.plan)?,
        connections: file.network.connections.unwrap_or(Connections::Closed),
        on_timeout: file.network.on_timeout.unwrap_or(OnTimeout::Keep),
        offline_queue: match file.network.offline_queue {
            Some(true) => OfflineQueue::On,
            Some(false) | None => OfflineQueue::Off,
        },
        limit,
        settle,
        latency_max: Span(slowest.unwrap_or(0)),
    };
    let expect = file.expect.map(|table| expect::expect(table, &setup)).transpose()?;
    Ok(Read { title, claim, source: file.source, seed, setup, latency, links, expect })
}

/// That the file has the format of this version.
pub(crate) fn known_format(format: &Spanned<i64>) -> Result<(), Wrong> {
    if *format.get_ref() == FORMAT {
        return Ok(());
    }
    let message = format!("format {} is not known; this version reads format {FORMAT}", format.get_ref());
    Err(Wrong::new(InputErrorKind::Value, format.span(), message).meant("format = 1"))
}

/// A text that says something.
pub(crate) fn sentence(text: Spanned<String>, key: &str) -> Result<String, Wrong> {
    if text.get_ref().trim().is_empty() {
        return Err(Wrong::new(InputErrorKind::Value, text.span(), format!("`{key}` is empty")));
    }
    Ok(text.into_inner())
}

fn settle(number: &Spanned<i64>, clients: &[ClientSetup]) -> Result<Span, Wrong> {
    let settle = span_ms(number, "settle_ms", 0)?;
    let nested = |client: &ClientSetup| client.workload.nested.and_then(|nested| nested.ttl);
    let lives =
        clients.iter().map(|client| lock::life(&client.lock).max(nested(client).unwrap_or(Span::ZERO)));
    let longest = lives.max().unwrap_or(Span::ZERO);
    if settle <= longest {
        let message = format!(
            "`settle_ms` must exceed the largest TTL ({longest}), or keys that are about to expire look forgotten"
        );
        let meant = format!("settle_ms = {}", longest.as_ms_floor() * 5 / 2);
        return Err(Wrong::contradiction(number.span(), message).meant(meant));
    }
    Ok(settle)
}

fn store(table: Option<&Store>, clients: &[ClientSetup]) -> Result<StoreSetup, Wrong> {
    let buyers = clients.iter().any(|client| client.workload.task == Task::Stock);
    let mode = table.and_then(|table| table.mode.as_ref());
    let stock = table.and_then(|table| table.stock.as_ref());
    if let Some(mode) = mode.filter(|mode| *mode.get_ref() == StoreMode::Fence)
        && clients.iter().any(|client| !client.lock.is_fenced())
    {
        let message = "a store that checks fences needs a lock that hands them out: `fence` is \"none\"";
        return Err(Wrong::contradiction(mode.span(), message).meant("fence = \"incr\""));
    }
    let stock = match stock {
        Some(stock) if !buyers => {
            return Err(Wrong::contradiction(
                stock.span(),
                "`stock` is for the workload stock; nobody buys here",
            ));
        }
        Some(stock) => ranged(stock, "stock", 0..=STOCK_MAX)?,
        None if buyers => {
            let place = mode.map_or(0..0, Spanned::span);
            return Err(Wrong::new(
                InputErrorKind::MissingKey,
                place,
                "the workload stock needs to know how many items there are: `stock` in [store]",
            )
            .meant("stock = 10"));
        }
        None => 0,
    };
    Ok(StoreSetup { mode: mode.map_or(StoreMode::Plain, |mode| *mode.get_ref()), stock })
}
