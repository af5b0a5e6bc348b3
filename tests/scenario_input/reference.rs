//! The reference in `scenarios/README.md` names exactly the keys that the reader accepts.

use super::{GOOD, Kind, changed, planned};
use fencepost::scenario::parse;
use std::collections::BTreeSet;

/// The keys that the reader names when it meets one it does not know.
fn accepted(text: &str) -> BTreeSet<String> {
    let error = parse("x.toml", text).expect_err("zzz is no key");
    assert!(
        error.kind == Kind::UnknownKey && error.message.starts_with("unknown key `zzz`"),
        "{error}\n{text}"
    );
    let known = error.message.split_once("known here: ").map_or("", |(_, known)| known);
    known.split(", ").filter(|key| !key.is_empty()).map(str::to_owned).collect()
}

/// The keys in the first cells of the tables under the heading.
fn documented(readme: &str, heading: &str) -> BTreeSet<String> {
    let mut sections = readme.split("\n### ");
    let section = sections.find(|section| section.lines().next() == Some(heading));
    let section = section.unwrap_or_else(|| panic!("no section `{heading}`"));
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    cells.flat_map(|cell| cell.split(", ").map(|key| key.trim_matches(['`', ' ']).to_owned())).collect()
}

#[test]
fn the_reference_names_exactly_the_accepted_keys() {
    let readme = include_str!("../../scenarios/README.md");
    let lock = "[lock.redlock]\nlike   = \"spec\"\nttl_ms = 10_000";
    let in_table = |table: &str| changed(table, &format!("{table}\nzzz = 0"));
    let before_network = |table: &str| changed("[network]", &format!("{table}\n[network]"));
    let expecting = |text: &str| changed("orphan = \"held\"", text);
    let workload =
        |name: &str| changed("[clients.workload.hold]", &format!("[clients.workload.{name}]\nzzz = 0"));
    let link = "[[network.link]]\nbetween = [\"client-1\", \"node-1\"]\nlatency_us = 3";
    let linked =
        |zzz: &str| changed("[[plan]]", &format!("{}\n[[plan]]", link.replace("latency_us = 3", zzz)));
    let policy = "`[lock.single]`, `[lock.redlock]` and `[client.lock]`";
    let counted = "`[lock.reentrant]`, `[lock.redisson]` and `[lock.spin]`";
    let mut probes = vec![
        ("Top level", format!("zzz = 0\n{GOOD}")),
        ("`[run]`", in_table("[run]")),
        ("`[deployment]`", in_table("[deployment]")),
        ("`min_replicas`", changed("nodes = 5", "nodes = 5\nmin_replicas = { zzz = 0 }")),
        (policy, in_table("[lock.redlock]")),
        (policy, changed(lock, "[lock.single]\nzzz = 0")),
        (policy, before_network("[[client]]\nlock = { zzz = 0 }")),
        (counted, changed(lock, "[lock.reentrant]\nzzz = 0")),
        (counted, changed(lock, "[lock.redisson]\nzzz = 0")),
        (counted, changed(lock, "[lock.spin]\nzzz = 0")),
        (counted, before_network("[[client]]\nown_lock.spin = { zzz = 0 }")),
        ("`[lock.fair]`", changed(lock, "[lock.fair]\nzzz = 0")),
        ("`[lock.read-write]`", changed(lock, "[lock.read-write]\nzzz = 0")),
        ("`[lock.read-write]`", before_network("[[client]]\nown_lock.read-write = { zzz = 0 }")),
        ("`[lock.signal]`", changed(lock, "[lock.signal]\nzzz = 0")),
        ("`[lock.multi]`", changed(lock, "[lock.multi]\nzzz = 0")),
        ("`drift`", changed("ttl_ms = 10_000", "drift = { zzz = 0 }")),
        ("`[lock.none]`", changed(lock, "[lock.none]\nzzz = 0")),
        ("`[clients]`", in_table("[clients]")),
        ("`[clients.workload.hold]`", workload("hold")),
        ("`nested`", changed("work_ms = 8_000", "work_ms = 1\nnested = { zzz = 0 }")),
        ("`[clients.workload.stock]`", workload("stock")),
        ("`[clients.workload.cron]`", workload("cron")),
        ("`[clients.workload.leader]`", workload("leader")),
        ("`[clients.workload.submit]`", workload("submit")),
        ("`[client.workload]`", before_network("[[client]]\nworkload = { zzz = 0 }")),
        ("`[[client]]`", before_network("[[client]]\nzzz = 0")),
        ("`[store]`", before_network("[store]\nzzz = 0")),
        ("`[network]`", in_table("[network]")),
        ("`[[network.link]]`", linked("zzz = 0")),
        ("Quantiles", changed("p50 = 500", "zzz = 500")),
        ("Quantiles", linked("latency_us = { p0 = 1, zzz = 2 }")),
        ("Quantiles", changed("work_ms = 8_000", "work_ms = { p0 = 1, zzz = 2 }")),
        ("Quantiles", changed("work_ms = 8_000", "work_ms = 1\nthink_ms = { zzz = 2 }")),
        ("`[[plan]]`", planned("zzz = {}")),
        ("`[expect]`", expecting("zzz = 0")),
        ("`[expect.witness]`", expecting("witness = { zzz = 0 }")),
        ("`{ min, max }`", expecting("witness = { grants = { zzz = 0 } }")),
    ];
    for kind in accepted(&planned("zzz = {}")) {
        let heading = match kind.as_str() {
            "crash" | "kill" | "power-loss" | "shutdown" => "`crash`, `kill`, `power-loss` and `shutdown`",
            "flush-scripts" | "demote" => "`flush-scripts` and `demote`",
            "slow" | "late-timer" | "lag" => "`slow`, `late-timer` and `lag`",
            kind => &*format!("`{kind}`").leak(),
        };
        probes.push((heading, planned(&format!("{kind} = {{ zzz = 0 }}"))));
    }
    let headings: BTreeSet<&str> = readme.split("\n### ").skip(1).filter_map(|s| s.lines().next()).collect();
    assert_eq!(headings, probes.iter().map(|(heading, _)| *heading).collect());
    for (heading, text) in probes {
        assert_eq!(documented(readme, heading), accepted(&text), "{heading}");
    }
}
