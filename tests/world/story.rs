//! A run as a story: one line per record, `MILLISECONDS PROCESS WHAT`, of the kinds that a test asks for.
//!
//! Every message takes exactly 1 ms unless a setup says otherwise, so that a reader can follow with a pencil.

use fencepost::history::{Fact, Record};
use fencepost::lock::{LockCore, Until};
use fencepost::name::{NodeId, Process, VoterId};
use fencepost::scenario::{Scenario, parse};
use fencepost::sim::{Explorer, Keep, RunResult};
use fencepost::world::Setup;
use std::fmt::Write;

/// The parts of a scenario file that tests vary; the rest is fixed.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) nodes: u8,
    /// More keys of the deployment.
    pub(crate) deployment: String,
    /// The table's name and keys, such as `single` and `ttl_ms = 1_000`.
    pub(crate) lock: (&'static str, String),
    pub(crate) clients: u8,
    pub(crate) start_ms: String,
    /// The workload's name and keys.
    pub(crate) work: (&'static str, String),
    pub(crate) store: String,
    pub(crate) network: String,
    pub(crate) latency_us: (u32, u32),
    pub(crate) limit_ms: u32,
    pub(crate) settle_ms: u32,
    pub(crate) plan: Vec<String>,
    /// More tables at the end of the file.
    pub(crate) more: String,
}

/// One node, one client, a lock of 1 s, 100 ms of work without writes, connections open, node timeout 20 ms, no
/// retries.
pub(crate) fn given() -> Given {
    Given {
        nodes: 1,
        deployment: String::new(),
        lock: ("single", "ttl_ms = 1_000".into()),
        clients: 1,
        start_ms: "0".into(),
        work: ("hold", "cycles = 1\nwork_ms = 100\nwrites = 0\nholder = \"never\"".into()),
        store: String::new(),
        network: "connections = \"open\"".into(),
        latency_us: (1_000, 1_000),
        limit_ms: 60_000,
        settle_ms: 5_000,
        plan: Vec::new(),
        more: String::new(),
    }
}

impl Given {
    pub(crate) fn plan(mut self, entries: &[&str]) -> Self {
        self.plan.extend(entries.iter().map(|entry| (*entry).to_owned()));
        self
    }

    pub(crate) fn work(mut self, keys: &str) -> Self {
        self.work = ("hold", keys.into());
        self
    }

    pub(crate) fn lock(mut self, name: &'static str, keys: &str) -> Self {
        self.lock = (name, keys.into());
        self
    }

    pub(crate) fn scenario(&self) -> Scenario {
        let Given { nodes, deployment, lock, clients, start_ms, work, store, network, latency_us, .. } = self;
        let Given { limit_ms, settle_ms, plan, more, .. } = self;
        let lock = match lock.0 {
            "none" => "[lock.none]".to_owned(),
            name => {
                let spec = match name {
                    "reentrant" => "like = \"scripted\"\nnode_timeout_ms = 20",
                    _ => "like = \"spec\"\nnode_timeout_ms = 20\nretries = 0",
                };
                format!("[lock.{name}]\n{}", keys(spec, &lock.1))
            }
        };
        let mut text = format!(
            "format = 1\ntitle = \"t\"\nclaim = \"c\"\nsource = []\n\
             [run]\nseed = 1\nlimit_ms = {limit_ms}\nsettle_ms = {settle_ms}\n\
             [deployment]\nnodes = {nodes}\n{deployment}\n{lock}\n\
             [clients]\ncount = {clients}\nstart_ms = {start_ms}\n[clients.workload.{}]\n{}\n\
             [store]\n{store}\n[network]\n{network}\nlatency_us = {{ p0 = {}, p100 = {} }}\n",
            work.0, work.1, latency_us.0, latency_us.1
        );
        for entry in plan {
            write!(text, "[[plan]]\n{entry}\n").unwrap();
        }
        text.push_str(more);
        parse("test.toml", &text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
    }

    pub(crate) fn run(&self) -> RunResult {
        fencepost::sim::run(&self.scenario(), 1)
    }

    /// Runs it with somebody else's cores.
    pub(crate) fn run_with<C: LockCore>(&self, core: impl Fn(usize, &Setup) -> C) -> RunResult {
        let scenario = self.scenario();
        let setup = &scenario.setup;
        let cores = (0..setup.clients.len()).map(|index| core(index, setup)).collect();
        Explorer::new(&scenario).run_cores(cores, 1, Keep::Records)
    }

    /// Asserts that the records of these kinds are exactly these lines.
    #[track_caller]
    pub(crate) fn tells(&self, kinds: &str, expected: &str) {
        same(&story(&self.run().records, kinds), expected);
    }
}

/// The keys of `base` that `own` does not set, then `own`.
fn keys(base: &str, own: &str) -> String {
    let name = |line: &str| line.split('=').next().map(|key| key.trim().to_owned());
    let set: Vec<_> = own.lines().map(name).collect();
    let kept = base.lines().filter(|line| !set.contains(&name(line)));
    kept.chain(own.lines()).collect::<Vec<_>>().join("\n")
}

#[track_caller]
pub(crate) fn same(told: &[String], expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert!(told == expected, "\nexpected:\n{}\ntold:\n{}\n", expected.join("\n"), told.join("\n"));
}

/// The lines of the records whose first word is among `kinds`.
pub(crate) fn story(records: &[Record], kinds: &str) -> Vec<String> {
    let kinds: Vec<&str> = kinds.split_whitespace().collect();
    let told = records.iter().filter_map(|record| {
        let text = text(&record.fact);
        let kind = text.split_whitespace().next()?;
        kinds.contains(&kind).then(|| format!("{} {} {text}", ms(record.at.0), record.process))
    });
    told.collect()
}

fn ms(us: u64) -> String {
    match us % 1_000 {
        0 => format!("{}", us / 1_000),
        rest => format!("{}.{rest:03}", us / 1_000),
    }
}

/// One fact in words; the first is its kind.
pub(crate) fn text(fact: &Fact) -> String {
    match fact {
        Fact::AcquireBegan { call } => format!("acquire {}", call.number),
        Fact::AttemptBegan { number, .. } => format!("attempt {number}"),
        Fact::Granted { grant, until, fence, .. } => {
            let fence = fence.map_or(String::new(), |fence| format!(" fence {fence}"));
            format!("granted {} until {}{fence}", grant.0, until_text(*until))
        }
        Fact::Refused { why, .. } => format!("refused {why:?}"),
        Fact::ExtendBegan { grant } => format!("extend {}", grant.0),
        Fact::Extended { grant, ahead, .. } => format!("extended {} {ahead}", grant.0),
        Fact::ExtendFailed { grant, why } => format!("extend-failed {} {why:?}", grant.0),
        Fact::LossTold { grant, why } => format!("loss {} {why:?}", grant.0),
        Fact::ReleaseBegan { grant } => format!("release {}", grant.0),
        Fact::ReleaseEnded { grant, how } => format!("released {} {how:?}", grant.0),
        Fact::Reached { point } => format!("reached {point}"),
        Fact::PromiseBegan { grant, .. } => format!("promise {}", grant.0),
        Fact::PromiseEnded { grant, why } => format!("promise-end {} {why:?}", grant.0),
        Fact::SectionEntered { grant } => format!("enter {}", grant.0),
        Fact::SectionLeft { grant, why } => format!("leave {} {why:?}", grant.0),
        Fact::Sent { name } => format!("sent {name}"),
        Fact::Delayed { name } => format!("delayed {name}"),
        Fact::Handled { name } => format!("handled {name}"),
        Fact::MessageLost { name, why } => format!("lost {name} {why:?}"),
        Fact::TimedOut { name } => format!("timeout {name}"),
        Fact::Applied { by, change, .. } => {
            let change = change.map_or("nothing".to_owned(), |change| format!("{:?}", change.effect));
            format!("applied {}.{} {change}", by.client.0 + 1, by.number)
        }
        Fact::HoldGone { cause, .. } => format!("gone {cause:?}"),
        Fact::Backing { grant, winnable, quorum, promised, cause } => {
            let promised = if *promised { "promised" } else { "over" };
            format!("backing {} {winnable}/{quorum} {promised} {cause:?}", grant.0)
        }
        Fact::HoldThinned { grant } => format!("thinned {}", grant.0),
        Fact::StoreRead { stock, .. } => format!("read {stock}"),
        Fact::StoreLooked { item, times, .. } => format!("looked {item} {times}"),
        Fact::Reentered { grant, outer } => format!("reentered {} inside {}", grant.0, outer.0),
        Fact::HoldsCounted { grant, believed, most, assured } => {
            format!("counted {} believed {believed} most {most} assured {assured}", grant.0)
        }
        Fact::CheckEnded { grant, found } => format!("checked {} {found:?}", grant.0),
        Fact::Blocked { name } => format!("blocked {name}"),
        Fact::Published { name, hearers } => format!("published {name} {hearers}"),
        Fact::Rerouted { to } => format!("rerouted {to}"),
        Fact::Replicated { from, entry } => format!("replicated {from} {entry}"),
        Fact::Resynced { from } => format!("resynced {from}"),
        Fact::StoreWrite { grant, accepted, promised, access } => {
            let accepted = if *accepted { "accepted" } else { "refused" };
            let promised = if *promised { "promised" } else { "over" };
            format!("write {} {accepted} {promised} {access:?}", grant.0)
        }
        Fact::WatchBegan { watch, due } => {
            format!("watch {:?} {} due {}", watch.kind, watch.call.number, ms(due.0))
        }
        Fact::WatchOver { watch, end } => format!("watched {:?} {} {end:?}", watch.kind, watch.call.number),
        Fact::FaultBegan { index, effective, .. } => {
            format!("fault {index}{}", if *effective { "" } else { " without effect" })
        }
        Fact::FaultEnded { index, .. } => format!("fault-end {index}"),
        Fact::Started { incarnation } => format!("started {incarnation}"),
        Fact::Done => "done".into(),
        Fact::Settled => "settled".into(),
        Fact::LeftOver { excused, .. } => format!("left-over {excused}"),
    }
}

/// In milliseconds since the clock of client 1 of a one-node deployment was started, where that is the clock.
fn until_text(until: Until) -> String {
    match until {
        Until::Mono(end) => format!("mono {}", ms((end.0 % 1_000_000_000) as u64)),
        Until::Wall(end) => format!("wall {}", ms((end.0 - 1_700_000_000_000_000) as u64)),
        Until::Released => "released".into(),
        Until::Lost => "lost".into(),
        Until::Untold => "untold".into(),
    }
}

/// The node with this index.
pub(crate) fn node(index: u8) -> Process {
    Process::Node(NodeId::first(VoterId(index)))
}
