//! Parts of a setup that contradict each other.

use super::{Kind, bad, changed, refuse};

#[test]
fn setups_that_contradict_themselves() {
    let stock = |text: String| text.replace("workload.hold", "workload.stock");
    refuse(vec![
        bad(changed("[0, 4_000]", "[0, 1, 2]"), Kind::Contradiction, (20, 12), "2 are needed", None),
        bad(
            changed("25_000", "10_000"),
            Kind::Contradiction,
            (9, 13),
            "largest TTL",
            Some("settle_ms = 25000"),
        ),
        bad(
            changed("holder  = \"never\"", "holder = \"never\"\nnested = { at_ms = 5, ttl_ms = 60_000 }"),
            Kind::Contradiction,
            (9, 13),
            "largest TTL",
            Some("settle_ms = 150000"),
        ),
        bad(
            changed("p50 = 500", "p50 = 100"),
            Kind::Contradiction,
            (28, 32),
            "`p50` is smaller than `p0`",
            None,
        ),
        bad(
            changed("[network]", "[store]\nmode = \"fence\"\n[network]"),
            Kind::Contradiction,
            (28, 8),
            "hands them out",
            Some("fence = \"incr\""),
        ),
        bad(
            changed("[network]", "[store]\nstock = 3\n[network]"),
            Kind::Contradiction,
            (28, 9),
            "nobody buys",
            None,
        ),
        bad(
            stock(changed("[network]", "[store]\nmode = \"plain\"\n[network]")),
            Kind::MissingKey,
            (28, 8),
            "`stock`",
            Some("stock = 10"),
        ),
    ]);
}

#[test]
fn workloads_and_expectations_that_contradict_themselves() {
    let hold = |keys: &str| changed("cycles  = 1", &format!("cycles = 1\n{keys}"));
    let extending =
        |keys: &str| hold(keys).replace("ttl_ms = 10_000", "ttl_ms = 10_000\nextension = \"compare\"");
    let stock = |text: String| text.replace("workload.hold", "workload.stock");
    refuse(vec![
        bad(
            stock(hold("ack = \"fire-and-forget\"")),
            Kind::Contradiction,
            (24, 7),
            "await",
            Some("ack = \"await\""),
        ),
        bad(stock(hold("writes = 1")), Kind::UnknownKey, (24, 1), "`writes`", None),
        bad(
            hold("extend_at_ms = [1]"),
            Kind::Contradiction,
            (24, 16),
            "needs a lock that extends",
            Some("extension = \"compare\""),
        ),
        bad(extending("extend_at_ms = [2, 2]"), Kind::Contradiction, (25, 20), "must rise", None),
        bad(extending("extend_at_ms = [8_000]"), Kind::Contradiction, (25, 17), "too late", None),
        bad(hold("nested = { at_ms = 8_000 }"), Kind::Contradiction, (24, 20), "too late", None),
        bad(hold("nested = { at_ms = -1 }"), Kind::Range, (24, 20), "`at_ms` is -1", Some("0")),
        bad(hold("nested = { at_ms = 1, for_ms = 0 }"), Kind::Range, (24, 32), "`for_ms` is 0", Some("1")),
        bad(hold("nested = { for_ms = 3 }"), Kind::MissingKey, (24, 10), "`at_ms`", None),
        bad(stock(hold("nested = { at_ms = 1 }")), Kind::UnknownKey, (24, 1), "`nested`", None),
        bad(
            hold("writes = 0").replace("orphan =", "stale-write ="),
            Kind::Contradiction,
            (35, 1),
            "writes = 0",
            Some("not-exercised"),
        ),
        bad(
            changed("orphan =", "lost-update ="),
            Kind::Contradiction,
            (34, 1),
            "workloads stock",
            Some("not-exercised"),
        ),
        bad(
            changed("orphan =", "fence-order ="),
            Kind::Contradiction,
            (34, 1),
            "fence",
            Some("not-exercised"),
        ),
        bad(
            changed("orphan = \"held\"", "witness = { grants = { min = 2, max = 1 } }"),
            Kind::Contradiction,
            (34, 22),
            "at least 2",
            None,
        ),
        bad(
            changed("[network]", "[[client]]\n[[client]]\n[[client]]\n\n[network]"),
            Kind::Contradiction,
            (29, 1),
            "more [[client]]",
            None,
        ),
        bad(
            changed("[network]", "[[client]]\nid = \"client-2\"\n[[client]]\n\n[network]"),
            Kind::Contradiction,
            (29, 1),
            "client-2 already",
            None,
        ),
    ]);
}

#[test]
fn workloads_with_keys_of_others() {
    let hold = "[clients.workload.hold]\ncycles  = 1\nwork_ms = 8_000\nholder  = \"never\"";
    let workload = |table: &str| changed(hold, table);
    let with = |name: &str, keys: &str| {
        workload(&format!("[clients.workload.{name}]\ncycles = 1\nwork_ms = 9\nholder = \"never\"\n{keys}"))
    };
    let own = |name: &str, keys: &str, own: &str| {
        with(name, keys).replace("[network]", &format!("[[client]]\nworkload = {{ {own} }}\n[network]"))
    };
    let leader = "write_every_ms = 3";
    refuse(vec![
        bad(with("cron", "period_ms = 0"), Kind::Range, (26, 13), "between 1 and", Some("1")),
        bad(with("cron", "period = 5"), Kind::UnknownKey, (26, 1), "`period`", Some("period_ms")),
        bad(with("cron", "period_ms = 5\nthink_ms = 1"), Kind::UnknownKey, (27, 1), "`think_ms`", None),
        bad(with("leader", "writes = 5"), Kind::UnknownKey, (26, 1), "`writes`", None),
        bad(with("leader", "extend_every_ms = 5"), Kind::MissingKey, (22, 1), "`write_every_ms`", None),
        bad(
            with("leader", "write_every_ms = 5\nextend_every_ms = 5"),
            Kind::Contradiction,
            (27, 19),
            "needs a lock that extends",
            Some("extension = \"compare\""),
        ),
        bad(with("submit", "ack = \"await\""), Kind::UnknownKey, (26, 1), "`ack`", None),
        bad(
            own("leader", leader, "writes = 2"),
            Kind::Contradiction,
            (29, 23),
            "belongs to the workload hold; the workload leader",
            Some("write_every_ms"),
        ),
        bad(
            own("submit", "", "think_ms = 2, ack = \"await\""),
            Kind::Contradiction,
            (29, 34),
            "belongs to the workload hold, stock or leader; the workload submit",
            None,
        ),
        bad(
            own("submit", "", "nested = { at_ms = 1 }"),
            Kind::Contradiction,
            (29, 23),
            "belongs to the workload hold; the workload submit",
            None,
        ),
        bad(
            own("cron", "period_ms = 5", "think_ms = 2"),
            Kind::Contradiction,
            (29, 25),
            "workload cron",
            None,
        ),
        bad(own("cron", "period_ms = 5", "period_ms = 2"), Kind::UnknownKey, (29, 14), "`period_ms`", None),
        bad(own("hold", "", "write_every_ms = 2"), Kind::Contradiction, (29, 31), "leader", Some("writes")),
        bad(with("stock", "writes = 2"), Kind::UnknownKey, (26, 1), "`writes`", None),
    ]);
}

#[test]
fn lengths_and_links_that_cannot_be() {
    let link = |between: &str| {
        changed("[[plan]]", &format!("[[network.link]]\nbetween = {between}\nlatency_us = 3\n\n[[plan]]"))
    };
    let work = |value: &str| changed("work_ms = 8_000", &format!("work_ms = {value}"));
    refuse(vec![
        bad(work("{ p0 = 5, p100 = 4 }"), Kind::Contradiction, (24, 28), "`work_ms` must not fall", None),
        bad(work("{ p0 = 5 }"), Kind::MissingKey, (24, 11), "`p100`", None),
        bad(work("{ p0 = -1, p100 = 4 }"), Kind::Range, (24, 18), "`p0` is -1", Some("0")),
        bad(work("\"long\""), Kind::Value, (24, 11), "a whole number or quantiles", None),
        bad(work("-1"), Kind::Range, (24, 11), "`work_ms` is -1", Some("0")),
        bad(link("[\"node-1\", \"node-2\"]"), Kind::Name, (31, 12), "node-1 is no client", Some("client-1")),
        bad(link("[\"client-1\", \"client-2\"]"), Kind::Name, (31, 24), "no peer", Some("node-1")),
        bad(link("[\"client-1\"]"), Kind::Value, (31, 11), "two sides", None),
        bad(link("[\"client-1\", \"node-6\"]"), Kind::Name, (31, 24), "no node-6", Some("node-5")),
        bad(
            link("[\"clients\", [\"node-1\", \"nodes\"]]"),
            Kind::Contradiction,
            (31, 34),
            "node-1 is named twice",
            None,
        ),
        bad(
            link("[\"client-1\", \"node-1\"]").replace(
                "[[plan]]",
                "[[network.link]]\nbetween = [\"clients\", \"node-1\"]\nlatency_us = 3\n\n[[plan]]",
            ),
            Kind::Contradiction,
            (35, 23),
            "client-1>node-1 already has a latency",
            None,
        ),
    ]);
}
