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
            "workload stock",
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
