//! The scope of a proof in words: what there is, how long things take, what may go wrong.
//!
//! Must say every number that a "held" depends on.

use super::super::shelf::belief;
use super::super::words::waits;
use crate::lock::{CoreTraits, LockCore, Protocol, Ttl};
use crate::prove::{Allowed, Kind, Menu, Model, Scope};
use crate::sim::cores;
use crate::world::{Ack, Holder, OnTimeout, Persistence, StoreMode};

/// In a few words, for a line.
pub(super) fn short(model: &Model) -> String {
    let scope = &model.scope;
    let ttl = match ttl(model) {
        Some(ttl) => format!("TTL {ttl}, margin {}", scope.margin),
        None => "no TTL".to_owned(),
    };
    let calls = scope.calls.map(|calls| format!(", {}", counted(calls.into(), "call"))).unwrap_or_default();
    let who = counted(scope.clients.into(), "client");
    let what = counted(scope.nodes.into(), "node");
    let (delay, faults) = (scope.delay, faults_short(&model.menu));
    let timeout = scope.node_timeout;
    let store = if scope.writes > 0 { format!(", store delay {}", scope.store_delay) } else { String::new() };
    let work = (scope.work, scope.work + scope.work_more);
    let work = if work.0 == work.1 { work.0.to_string() } else { format!("{}..{}", work.0, work.1) };
    let holder = match scope.holder {
        Holder::Never => "never looks",
        Holder::BeforeWrite => "looks before writing",
        Holder::Leaves => "leaves at the end",
        Holder::Remote => "asks before writing",
    };
    format!(
        "{who}, {what}, {ttl}, delay {delay}, timeout {timeout}, work {work}, {holder}{store}{calls}, {faults}"
    )
}

/// Line by line, each with its label.
pub(in crate::report) fn lines(model: &Model) -> Vec<(&'static str, String)> {
    let asks = match &model.own {
        Some(own) => own.traits.quorum > 0,
        None => model.policy.protocol != Protocol::None,
    };
    let times = times(&model.scope, model.policy.ttl, asks);
    all(&model.scope, &model.menu, times, lock(model))
}

/// The scope of a proof of somebody's own cores, line by line, each with its label.
///
/// **Shape** labels of at most ten characters, the lines that `prove` prints of a model.
pub fn scope_lines(scope: &Scope, menu: &Menu, traits: &CoreTraits) -> Vec<(&'static str, String)> {
    let times = times(scope, traits.ttl, traits.quorum > 0);
    all(scope, menu, times, belief(traits))
}

fn all(scope: &Scope, menu: &Menu, times: String, lock: String) -> Vec<(&'static str, String)> {
    let mut lines = vec![("scope", world(scope)), ("times", times), ("lock", lock)];
    lines.push(("holders", holders(scope)));
    if scope.writes > 0 {
        lines.push(("store", store(scope)));
    }
    lines.push(("faults", faults(menu)));
    lines
}

fn world(scope: &Scope) -> String {
    let (clients, nodes) = (counted(scope.clients.into(), "client"), counted(scope.nodes.into(), "node"));
    let replicas = match scope.replicas {
        0 => String::new(),
        count => format!(" with {} each", counted(count.into(), "replica")),
    };
    let keeps = match scope.persistence {
        Persistence::None => "a restart keeps nothing",
        Persistence::Rdb => "a restart keeps the last snapshot",
        Persistence::AofAlways => "a restart keeps everything",
        Persistence::AofEverysec | Persistence::AofNo => "a restart keeps what was flushed",
    };
    let length = match scope.calls {
        None => "runs of any length".to_owned(),
        Some(calls) => format!("at most {} of acquire in the whole run", counted(calls.into(), "call")),
    };
    format!("{clients}, {nodes}{replicas}; {keeps}; {length}")
}

fn times(scope: &Scope, ttl: Ttl, asks: bool) -> String {
    let mut parts = vec!["a tick is 1 s".to_owned()];
    if asks {
        parts.push(match ttl {
            Ttl::Never => "no TTL".to_owned(),
            Ttl::Of(_) => format!("TTL {} ticks less 1 ms", scope.ttl),
        });
        parts.push(format!("margin {}", scope.margin));
        let kept = match scope.on_timeout {
            OnTimeout::Keep => "the connection is kept",
            OnTimeout::Reconnect => "then it reconnects",
        };
        parts.push(format!("node timeout {} ({kept})", scope.node_timeout));
    }
    parts.push(format!("a message takes 0 to {}", scope.delay));
    parts.join(", ")
}

fn lock(model: &Model) -> String {
    if let Some(own) = &model.own {
        return belief(&own.traits);
    }
    let setup = model.scope.setup(model.policy.clone());
    let traits = cores(&setup).first().map(LockCore::describe);
    let belief = traits.map(|traits| belief(&traits)).unwrap_or_default();
    format!("{belief}{}", waits(model.policy.wait))
}

fn holders(scope: &Scope) -> String {
    let holder = match scope.holder {
        Holder::Never => "never look at the end of their promise",
        Holder::BeforeWrite => "look at their promise at entry and before each write",
        Holder::Leaves => "leave at the end of their promise",
        Holder::Remote => "ask the nodes at entry and before each write",
    };
    let work = span(scope.work, scope.work + scope.work_more);
    let extends = scope.extend_every.map(|every| format!(", extend every {every}")).unwrap_or_default();
    let writes = match scope.writes {
        0 => "write nothing".to_owned(),
        count => counted(count.into(), "write"),
    };
    format!("{holder}; work for {work} ticks{extends}; {writes}")
}

fn store(scope: &Scope) -> String {
    let mode = match scope.store {
        StoreMode::Plain => "checks nothing",
        StoreMode::Fence => "refuses fences below the largest it has seen",
        StoreMode::NonceCas => "refuses whoever has not claimed it last",
    };
    let ack = match scope.ack {
        Ack::Await => "writers wait for its answer",
        Ack::FireAndForget => "writers do not wait for its answer",
    };
    format!("{mode}; a write takes {} ticks to it; {ack}", span(0, scope.store_delay.into()))
}

fn faults(menu: &Menu) -> String {
    if menu.total == 0 || menu.allowed.is_empty() {
        return "none".to_owned();
    }
    let kinds: Vec<String> = menu.allowed.iter().map(allowed).collect();
    format!("at most {} in the whole run: {}", menu.total, kinds.join("; "))
}

fn allowed(allowed: &Allowed) -> String {
    let (least, most) = allowed.ticks;
    let ticks = span(least.into(), most.into());
    let extent = match allowed.kind {
        Kind::ClientStop | Kind::ClientSuspend | Kind::ClientClockSlow | Kind::NodeClockFast => {
            format!(", for {ticks} ticks")
        }
        Kind::NodeClockStep => format!(", by {ticks} ticks"),
        Kind::LateMessage | Kind::StoreDelay => format!(", {ticks} ticks beyond the bound"),
        Kind::NodeCrashKeeping | Kind::NodeCrashLosing => format!(", down for {ticks} ticks"),
        Kind::Failover => format!(", learned of after {ticks} ticks"),
        Kind::MessageLoss | Kind::Eviction => String::new(),
    };
    format!("{} x {}{extent}", allowed.kind.text(), allowed.budget)
}

fn faults_short(menu: &Menu) -> String {
    let kinds: Vec<&str> = menu.allowed.iter().map(|allowed| allowed.kind.text()).collect();
    match (menu.total, kinds.as_slice()) {
        (0, _) | (_, []) => "no faults".to_owned(),
        (total, [one]) => format!("{total} x {one}"),
        (total, [..]) => format!("{} of {}", counted(total.into(), "fault"), kinds.join("|")),
    }
}

/// How long keys live, in ticks.
fn ttl(model: &Model) -> Option<i64> {
    match model.policy.ttl {
        Ttl::Of(_) => Some(model.scope.ttl),
        Ttl::Never => None,
    }
}

pub(super) fn span(least: i64, most: i64) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

pub(super) fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
