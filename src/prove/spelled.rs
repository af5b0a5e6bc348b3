//! A model's world as the text of a scenario file, without its plan.
//!
//! Written from values, not from the model's file: a model may be made in code. Must not leave out anything that a
//! policy or a workload holds.

use super::ask::Model;
use super::replay::{LATENCY_US, REPLAY_SEED};
use crate::check::OracleName;
use crate::lock::{
    AfterLast, Drift, DriftSign, Growth, Pace, Policy, Protocol, Retry, Soundness, Ttl, Wait, WaitFor,
};
use crate::time::{Span, WorldTime};
use crate::world::{Connections, Extend, Length, Nested, NodeSetup, Setup, Task, Workload};
use serde::Serialize;
use std::fmt::Write;

/// What is written.
pub(super) struct Frame<'a> {
    /// Whose counterexample it is.
    pub(super) model: &'a Model,
    /// What it violates, if it is a counterexample.
    pub(super) oracle: Option<OracleName>,
    /// The model's world.
    pub(super) setup: &'a Setup,
    /// How many sections each client wants.
    pub(super) cycles: u32,
    /// When the run is stopped.
    pub(super) limit: WorldTime,
}

/// The text.
pub(super) fn spelled(frame: &Frame<'_>) -> String {
    let Frame { model, oracle, setup, limit, .. } = frame;
    let (first, clients) = (&setup.clients[0], setup.clients.len());
    let life = match first.lock.ttl() {
        Ttl::Of(ttl) => ttl.as_ms_floor(),
        Ttl::Never => 0,
    };
    let title = quoted(&match oracle {
        Some(oracle) => format!("{oracle} is violated: a counterexample of the model {}", model.name),
        None => format!("a schedule of the model {}", model.name),
    });
    let shortest = if oracle.is_some() { "; in its scope none is shorter" } else { "" };
    let claim = quoted(&format!(
        "The prover found this schedule (clients: {clients}, nodes: {}){shortest}.",
        setup.nodes.len()
    ));
    let mut source = model.source.clone();
    source.push(format!("the prover, model {}: {}", model.name, model.title));
    let source: Vec<String> = source.iter().map(|text| quoted(text)).collect();
    let mut text = format!(
        "# A schedule of the model {}: every entry of the plan is a choice of the prover. A tick is a second.\n\
         format = 1\ntitle  = {title}\nclaim  = {claim}\nsource = [{}]\n\n\
         [run]\nseed      = {REPLAY_SEED}\nlimit_ms  = {}\nsettle_ms = {}\n\n",
        model.name,
        source.join(", "),
        (*limit - WorldTime::ZERO).as_ms_floor() + 1,
        life * 5 / 2 + 1,
    );
    text.push_str(&deployment(&setup.nodes));
    text.push_str(&lock(first.lock.policy().expect("models are of locks with a quorum policy")));
    text.push_str(&workload(&first.workload, clients, frame.cycles));
    let connections = match setup.connections {
        Connections::Open => "open",
        Connections::Closed => "closed",
    };
    let (mode, on_timeout) = (word(setup.store.mode), word(setup.on_timeout));
    let _ = write!(
        text,
        "[store]\nmode = {mode}\n\n[network]\nlatency_us  = {LATENCY_US}\nconnections = \"{connections}\"\n\
         on_timeout  = {on_timeout}\n"
    );
    if let Some(oracle) = oracle {
        let _ = write!(text, "\n[expect]\n{oracle} = \"violated\"\n");
    }
    text
}

fn deployment(nodes: &[NodeSetup]) -> String {
    let first = &nodes[0];
    let mut text =
        format!("[deployment]\nnodes       = {}\npersistence = {}\n", nodes.len(), word(first.persistence));
    if !first.replicas.is_empty() {
        let _ = write!(text, "topology    = \"replicated\"\nreplicas    = {}\n", first.replicas.len());
        if first.lag > Span::ZERO {
            let _ = writeln!(text, "lag_ms      = {}", first.lag.as_ms_floor());
        }
    }
    text.push('\n');
    text
}

/// The words of a policy that are others than the specification's, one line each. Every field of a policy is named, so
/// that none is forgotten.
macro_rules! differing {
    ($policy:ident; words: $($word:ident)*; others: $($other:ident)*) => {{
        let spec = Policy::spec($policy.protocol, $policy.voters, $policy.ttl);
        let Policy { $($word,)* $($other: _,)* } = $policy;
        let rows = [$((stringify!($word), word($word), word(spec.$word)),)*];
        rows.into_iter().filter(|(_, value, usual)| value != usual).map(|(key, value, _)| format!("{key} = {value}"))
    }};
}

/// `like = "spec"`, the times, and every word that is another than the specification's.
fn lock(policy: &Policy) -> String {
    if policy.protocol == Protocol::None {
        return "[lock.none]\n\n".to_owned();
    }
    let mut lines = vec!["like = \"spec\"".to_owned()];
    if policy.validate(Soundness::Required).is_err() {
        lines.push("unsound = true".to_owned());
    }
    lines.extend(numbers(policy));
    lines.extend(differing!(
        policy;
        words: quorum_of counting taking repair ttl_unit start validity arithmetic elapsed basis clock asking deciding
            on_error release release_key release_asks release_on_failure release_when_late cleanup nonce fence
            extension extension_quorum_of extension_within extension_moves extension_checks on_extension_failure
            renewal renewal_rounding renewal_rearm renewal_on_release reacquire on_loss;
        others: protocol voters quorum ttl node_timeout drift drift_sign min_validity retry pace driver_retries
            renewals_max renewal_permille wait
    ));
    format!("[lock.{}]\n{}\n\n", policy.protocol.name(), lines.join("\n"))
}

/// The numbers of a policy: those that a reader looks for always, the others where they are not the specification's.
fn numbers(policy: &Policy) -> Vec<String> {
    let spec = Policy::spec(policy.protocol, policy.voters, policy.ttl);
    let Drift { permille, constant } = policy.drift;
    let sign = match policy.drift_sign {
        DriftSign::Subtracted => String::new(),
        DriftSign::Added => ", sign = \"added\"".to_owned(),
    };
    let Retry { retries, delay, jitter } = policy.retry;
    let mut lines = vec![
        match policy.ttl {
            Ttl::Of(ttl) => ms("ttl", ttl),
            Ttl::Never => "ttl = \"none\"".to_owned(),
        },
        ms("node_timeout", policy.node_timeout),
        format!("drift = {{ permille = {permille}, {}{sign} }}", ms("constant", constant)),
        format!("retries = {retries}"),
        ms("retry_delay", delay),
        ms("retry_jitter", jitter),
    ];
    if policy.quorum != spec.quorum {
        lines.push(format!("quorum = {}", policy.quorum));
    }
    if policy.min_validity != spec.min_validity {
        lines.push(ms("min_validity", policy.min_validity));
    }
    if policy.driver_retries != spec.driver_retries {
        lines.push(format!("driver_retries = {}", policy.driver_retries));
    }
    if policy.renewals_max != spec.renewals_max {
        lines.push(format!("renewals_max = {}", policy.renewals_max));
    }
    lines.extend(policy.renewal_permille.map(|permille| format!("renewal_permille = {permille}")));
    lines.extend(pace(policy.pace));
    let Wait { replicas, limit } = policy.wait;
    if replicas != WaitFor::None {
        lines.extend([format!("wait = {}", word(replicas)), ms("wait", limit)]);
    }
    lines
}

fn pace(pace: Pace) -> Vec<String> {
    let Pace { growth, delay_max, after_last, limit, limit_clock } = pace;
    let mut lines = Vec::new();
    if growth == Growth::Doubling {
        lines.extend([format!("retry_growth = {}", word(growth)), ms("retry_delay_max", delay_max)]);
    }
    if after_last == AfterLast::Waits {
        lines.push("retry_after_last = true".to_owned());
    }
    if let Some(limit) = limit {
        lines.extend([ms("wait_limit", limit), format!("wait_clock = {}", word(limit_clock))]);
    }
    lines
}

fn workload(workload: &Workload, clients: usize, cycles: u32) -> String {
    let Workload { task, extend, nested, cycles: _, work, patience, again, think, holder, ack } = workload;
    let Task::Hold { writes } = task else { unreachable!("clients of a scope hold") };
    let length = |length: &Length| match length {
        Length::Of(span) => *span,
        Length::Drawn(_) => unreachable!("a scope draws no lengths"),
    };
    let mut lines = vec![
        format!("cycles = {cycles}"),
        ms("work", length(work)),
        format!("writes = {writes}"),
        ms("patience", *patience),
        ms("again", *again),
        ms("think", length(think)),
        format!("holder = {}", word(holder)),
        format!("ack = {}", word(ack)),
    ];
    match extend {
        Extend::At(times) if times.is_empty() => {}
        Extend::At(times) => {
            let times: Vec<String> = times.iter().map(|at| at.as_ms_floor().to_string()).collect();
            lines.push(format!("extend_at_ms = [{}]", times.join(", ")));
        }
        Extend::Every(every) => lines.push(ms("extend_every", *every)),
    }
    if let Some(Nested { at, length, ttl }) = nested {
        let keys = [("at", Some(*at)), ("for", *length), ("ttl", *ttl)];
        let keys = keys.into_iter().filter_map(|(key, span)| span.map(|span| ms(key, span)));
        lines.push(format!("nested = {{ {} }}", keys.collect::<Vec<_>>().join(", ")));
    }
    format!("[clients]\ncount = {clients}\n\n[clients.workload.hold]\n{}\n\n", lines.join("\n"))
}

fn ms(key: &str, span: Span) -> String {
    format!("{key}_ms = {}", span.as_ms_floor())
}

/// A word of the file format, in quotes.
fn word(value: impl Serialize) -> String {
    toml::Value::try_from(value).expect("words are texts").to_string()
}

/// Any text in quotes.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
