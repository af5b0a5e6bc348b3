//! Lock policies that cannot be run, or that are unsound without saying so.

use super::{Kind, bad, changed, refuse};

#[test]
fn policies_that_cannot_be_run() {
    let lock = |keys: &str| changed("ttl_ms = 10_000", keys);
    let single = |keys: &str| lock(keys).replace("[lock.redlock]", "[lock.single]");
    refuse(vec![
        bad(
            lock("ttl_ms = 10_000\nquorum = 6"),
            Kind::Policy,
            (17, 10),
            "can never be reached",
            Some("quorum = 3"),
        ),
        bad(
            lock("ttl_ms = 10_000\nquorum = 2"),
            Kind::Policy,
            (17, 10),
            "unsound = true",
            Some("quorum = 3"),
        ),
        bad(
            single("ttl_ms = 10_000\nquorum = 2"),
            Kind::Policy,
            (17, 10),
            "quorum 2 of 1",
            Some("quorum = 1"),
        ),
        bad(
            lock("ttl_ms = 50"),
            Kind::Policy,
            (16, 10),
            "not shorter than the TTL",
            Some("node_timeout_ms = 49"),
        ),
        bad(
            lock("ttl_ms = 1_000\nnode_timeout_ms = 1_000"),
            Kind::Policy,
            (17, 19),
            "not shorter",
            Some("node_timeout_ms = 50"),
        ),
        bad(
            lock("ttl_ms = 1_000\nnode_timeout_ms = 0"),
            Kind::Policy,
            (17, 19),
            "longer than 0",
            Some("node_timeout_ms = 50"),
        ),
        bad(lock("ttl_ms = 0"), Kind::Policy, (16, 10), "unsound = true", Some("ttl_ms = 10_000")),
        bad(lock("ttl = \"none\""), Kind::Policy, (16, 7), "unsound = true", Some("ttl_ms = 10_000")),
    ]);
}

#[test]
fn values_that_are_unsound_by_themselves() {
    let lock = |keys: &str| changed("ttl_ms = 10_000", &format!("ttl_ms = 10_000\n{keys}"));
    let unsound =
        |keys: &str, column, meant| bad(lock(keys), Kind::Policy, (17, column), "nsound = true", Some(meant));
    let fenced = |keys: &str, meant| {
        let text = lock(&format!("fence = \"incr\"\nunsound = true\n{keys}"));
        bad(
            text.replace("[lock.redlock]", "[lock.single]"),
            Kind::Policy,
            (17, 9),
            "the script that writes the key",
            Some(meant),
        )
    };
    refuse(vec![
        unsound("counting = \"replies\"", 12, "counting = \"grants\""),
        unsound("taking = \"setnx-expire\"", 10, "taking = \"set-nx-px\""),
        unsound("extension = \"blind\"", 13, "extension = \"compare\""),
        unsound("nonce = \"constant\"", 9, "nonce = \"attempt\""),
        fenced("taking = \"setnx-expire\"", "taking = \"set-nx-px\""),
        fenced("counting = \"replies\"", "counting = \"grants\""),
    ]);
}

#[test]
fn policies_whose_parts_do_not_fit() {
    let lock = |keys: &str| changed("ttl_ms = 10_000", keys);
    refuse(vec![
        bad(lock("ttl = \"none\"\nttl_ms = 1_000"), Kind::Contradiction, (16, 7), "both set", None),
        bad(
            lock("ttl_ms = 1_000\ndrift = { permille = 1_000, constant_ms = 2 }"),
            Kind::Policy,
            (17, 9),
            "drift margin",
            None,
        ),
        bad(
            lock("ttl_ms = 1_000\nfence = \"incr\""),
            Kind::Policy,
            (17, 9),
            "no fence",
            Some("fence = \"none\""),
        ),
        bad(
            lock("ttl_ms = 1_000\nrenewal = \"watchdog\"\nextension = \"none\""),
            Kind::Policy,
            (18, 13),
            "needs extension",
            Some("extension = \"compare\""),
        ),
        // An override of one client is to blame at its own place.
        bad(
            changed("[network]", "[[client]]\nid = \"client-2\"\nlock = { quorum = 9 }\n\n[network]"),
            Kind::Policy,
            (29, 19),
            "quorum 9",
            Some("quorum = 3"),
        ),
    ]);
}

#[test]
fn waits_that_mean_nothing() {
    let redlock = |keys: &str| changed("ttl_ms = 10_000", &format!("ttl_ms = 10_000\n{keys}"));
    let single = |keys: &str| redlock(keys).replace("[lock.redlock]", "[lock.single]");
    let wait = "wait = \"any\"\n";
    refuse(vec![
        bad(
            redlock(wait),
            Kind::Policy,
            (17, 8),
            "belongs to single, not to redlock",
            Some("wait = \"none\""),
        ),
        bad(
            single(&format!("{wait}wait_ms = 0")),
            Kind::Policy,
            (18, 11),
            "at least 1 ms",
            Some("wait_ms = 50"),
        ),
        bad(
            single(&format!("{wait}wait_ms = 9_950")),
            Kind::Policy,
            (18, 11),
            "not shorter than the TTL",
            None,
        ),
        bad(
            single("wait_ms = 9"),
            Kind::Contradiction,
            (17, 11),
            "`wait` is \"none\"",
            Some("wait = \"any\""),
        ),
        bad(single("wait = \"some\""), Kind::Value, (17, 8), "none, any, all", Some("none")),
    ]);
}
