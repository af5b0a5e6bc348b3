//! A model's world as the text of a scenario file, without its plan.
//!
//! Written from values, not from the model's file: a model may be made in code. Must not leave out anything that a
//! policy or a workload holds.

use super::ask::Model;
use super::replay::{LATENCY_US, REPLAY_SEED};
use crate::check::OracleName;
use crate::lock::{Drift, Policy, Protocol, Retry, Soundness, Ttl, Wait, WaitFor};
use crate::time::{Span, WorldTime};
use crate::world::{Connections, Extend, Length, NodeSetup, Setup, Task, Workload};
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
    let life = match first.policy.ttl {
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
    text.push_str(&lock(&first.policy));
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

/// `like = "spec"`, the times, and every word that is another than the specification's.
fn lock(policy: &Policy) -> String {
    let Policy {
        protocol,
        voters,
        quorum,
        counting,
        taking,
        ttl,
        node_timeout,
        drift: Drift { permille, constant },
        validity,
        basis,
        clock,
        asking,
        on_error,
        release,
        release_on_failure,
        retry: Retry { retries, delay, jitter },
        driver_retries,
        nonce,
        fence,
        extension,
        renewal,
        on_loss,
        wait: Wait { replicas, limit },
    } = policy;
    if *protocol == Protocol::None {
        return "[lock.none]\n\n".to_owned();
    }
    let spec = Policy::spec(*protocol, *voters, *ttl);
    let mut lines = vec!["like = \"spec\"".to_owned()];
    if policy.validate(Soundness::Required).is_err() {
        lines.push("unsound = true".to_owned());
    }
    lines.push(match ttl {
        Ttl::Of(ttl) => ms("ttl", *ttl),
        Ttl::Never => "ttl = \"none\"".to_owned(),
    });
    lines.push(ms("node_timeout", *node_timeout));
    lines.push(format!("drift = {{ permille = {permille}, {} }}", ms("constant", *constant)));
    lines.extend([format!("retries = {retries}"), ms("retry_delay", *delay), ms("retry_jitter", *jitter)]);
    let mut differs = |key: &str, value: String, usual: String| {
        if value != usual {
            lines.push(format!("{key} = {value}"));
        }
    };
    differs("quorum", quorum.to_string(), spec.quorum.to_string());
    differs("counting", word(counting), word(spec.counting));
    differs("taking", word(taking), word(spec.taking));
    differs("validity", word(validity), word(spec.validity));
    differs("basis", word(basis), word(spec.basis));
    differs("clock", word(clock), word(spec.clock));
    differs("asking", word(asking), word(spec.asking));
    differs("on_error", word(on_error), word(spec.on_error));
    differs("release", word(release), word(spec.release));
    differs("release_on_failure", word(release_on_failure), word(spec.release_on_failure));
    differs("driver_retries", driver_retries.to_string(), spec.driver_retries.to_string());
    differs("nonce", word(nonce), word(spec.nonce));
    differs("fence", word(fence), word(spec.fence));
    differs("extension", word(extension), word(spec.extension));
    differs("renewal", word(renewal), word(spec.renewal));
    differs("on_loss", word(on_loss), word(spec.on_loss));
    if *replicas != WaitFor::None {
        lines.extend([format!("wait = {}", word(replicas)), ms("wait", *limit)]);
    }
    format!("[lock.{}]\n{}\n\n", protocol.name(), lines.join("\n"))
}

fn workload(workload: &Workload, clients: usize, cycles: u32) -> String {
    let Workload { task, extend, cycles: _, work, patience, again, think, holder, ack } = workload;
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
