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
        unsound("validity = \"zero-passes\"", 12, "validity = \"checked\""),
        unsound("arithmetic = \"wrapping\"", 14, "arithmetic = \"checked\""),
        unsound("elapsed = \"whole-s\"", 11, "elapsed = \"exact\""),
        unsound("quorum_of = \"connected\"", 13, "quorum_of = \"voters\""),
        unsound("quorum_rule = \"half\"", 15, "quorum = 3"),
        unsound("quorum_rule = \"one\"", 15, "quorum = 3"),
        unsound("deciding = \"at-quorum-of-both\"", 12, "deciding = \"all\""),
        unsound("on_error = \"abort-after-quorum\"", 12, "on_error = \"count\""),
        unsound("release_on_failure = \"none\"", 22, "release_on_failure = \"all\""),
        unsound("release_when_late = \"none\"", 21, "release_when_late = \"as-failure\""),
        unsound("cleanup = \"callers-context\"", 11, "cleanup = \"foreground\""),
        unsound("ttl_unit = \"s-for-ms\"", 12, "ttl_unit = \"ms\""),
        unsound("release = \"get-then-del\"", 11, "release = \"compare-and-delete\""),
        unsound("release = \"watch-get-del\"", 11, "release = \"watch-multi-exec\""),
        unsound("release_key = \"other\"", 15, "release_key = \"own\""),
        unsound("extension = \"set-xx\"", 13, "extension = \"compare\""),
        unsound("extension_quorum_of = \"acquired\"", 23, "extension_quorum_of = \"voters\""),
        unsound("extension_checks = \"nothing\"", 20, "extension_checks = \"validity\""),
        unsound("reacquire = \"asks\"", 13, "reacquire = \"refused\""),
        unsound("renewal_on_release = \"survives\"", 22, "renewal_on_release = \"ends\""),
        unsound("drift = { permille = 1, constant_ms = 1, sign = \"added\" }", 49, "sign = \"subtracted\""),
        fenced("taking = \"setnx-expire\"", "taking = \"set-nx-px\""),
        fenced("counting = \"replies\"", "counting = \"grants\""),
        fenced("taking = \"reobtain\"", "taking = \"set-nx-px\""),
        fenced("taking = \"set-nx-pxat\"", "taking = \"set-nx-px\""),
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
fn keys_that_need_or_exclude_one_another() {
    let lock = |keys: &str| changed("ttl_ms = 10_000", &format!("ttl_ms = 10_000\n{keys}"));
    refuse(vec![
        bad(
            lock("quorum = 3\nquorum_rule = \"all\""),
            Kind::Contradiction,
            (18, 15),
            "`quorum` and `quorum_rule` are both set",
            None,
        ),
        bad(
            lock("retry_growth = \"doubling\""),
            Kind::MissingKey,
            (17, 16),
            "needs `retry_delay_max_ms`",
            Some("retry_delay_max_ms = 1_000"),
        ),
        bad(
            lock("retry_delay_max_ms = 1_000"),
            Kind::Contradiction,
            (17, 22),
            "where a delay stops that grows",
            Some("retry_growth = \"doubling\""),
        ),
        bad(
            lock("retry_growth = \"doubling\"\nretry_delay_max_ms = 100"),
            Kind::Policy,
            (18, 22),
            "less than the delay that doubles",
            Some("retry_growth = \"fixed\""),
        ),
        bad(
            lock("wait_clock = \"wall\""),
            Kind::Contradiction,
            (17, 14),
            "which is not set",
            Some("wait_limit_ms = 10_000"),
        ),
        bad(
            lock("min_validity_ms = 9_898"),
            Kind::Policy,
            (17, 19),
            "all that the margin leaves",
            Some("min_validity_ms = 0"),
        ),
        bad(
            lock("deciding = \"at-quorum\"\nunsound = true\ntaking = \"setnx-expire\""),
            Kind::Policy,
            (17, 12),
            "leaves voters behind",
            Some("deciding = \"all\""),
        ),
        bad(
            changed("ttl_ms = 10_000", "ttl_ms = 1_500\nttl_unit = \"s\""),
            Kind::Policy,
            (17, 12),
            "rounds this TTL down",
            Some("ttl_unit = \"ms\""),
        ),
    ]);
}

#[test]
fn switches_that_do_not_fit_or_have_nothing_to_switch() {
    let refused = |keys: &str, column, message, meant| {
        let text = changed("ttl_ms = 10_000", &format!("ttl_ms = 10_000\n{keys}\nunsound = true"));
        bad(text, Kind::Policy, (17, column), message, Some(meant))
    };
    let unwatched = "watchdog, and there is none";
    let never = "belongs to an extension, and there is none";
    refuse(vec![
        refused(
            "deciding = \"at-quorum\"\nrelease = \"get-then-del\"",
            12,
            "leaves voters behind",
            "deciding = \"all\"",
        ),
        refused(
            "cleanup = \"background\"\nrelease = \"watch-get-del\"",
            11,
            "nobody hears",
            "cleanup = \"foreground\"",
        ),
        refused(
            "on_extension_failure = \"release-all\"\nextension = \"compare\"\nrelease = \"watch-multi-exec\"",
            24,
            "asks before it deletes",
            "on_extension_failure = \"tell\"",
        ),
        refused("repair = \"zero\"", 10, "goes with taking = \"setnx-expire\"", "repair = \"none\""),
        refused(
            "ttl_unit = \"s\"\ntaking = \"set-nx-pxat\"",
            12,
            "does not go with moments",
            "ttl_unit = \"ms\"",
        ),
        refused(
            "ttl_unit = \"s\"\nextension = \"pexpireat\"",
            12,
            "does not go with moments",
            "ttl_unit = \"ms\"",
        ),
        refused("renewal_permille = 600", 20, unwatched, "renewal = \"watchdog\""),
        refused("renewal_rounding = \"whole-s\"", 20, unwatched, "renewal = \"watchdog\""),
        refused("renewal_rearm = \"after-reply\"", 17, "when a watchdog wakes", "renewal = \"watchdog\""),
        refused("renewal_on_release = \"survives\"", 22, "becomes of a watchdog", "renewal = \"watchdog\""),
        refused("extension_quorum_of = \"acquired\"", 23, never, "extension = \"compare\""),
        refused("extension_within = \"validity\"", 20, never, "extension = \"compare\""),
        refused("extension_moves = \"nothing\"", 19, never, "extension = \"compare\""),
        refused("extension_checks = \"nothing\"", 20, never, "extension = \"compare\""),
        refused("on_extension_failure = \"tell\"", 24, never, "extension = \"compare\""),
        refused("renewals_max = 3", 16, "counts extensions", "extension = \"compare\""),
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
