//! Unknown keys and words, missing keys, broken files, numbers out of range.

use super::{Kind, bad, changed, planned, refuse};

#[test]
fn unknown_keys_and_words() {
    refuse(vec![
        bad(
            changed("ttl_ms =", "ttl_sm ="),
            Kind::UnknownKey,
            (16, 1),
            "known here: like, unsound",
            Some("ttl_ms"),
        ),
        bad(changed("work_ms =", "work ="), Kind::UnknownKey, (24, 1), "`work`", Some("work_ms")),
        bad(changed("[lock.redlock]", "[lock.redlok]"), Kind::UnknownKey, (14, 7), "redlok", Some("redlock")),
        bad(changed("[network]", "[netwrk]"), Kind::UnknownKey, (27, 2), "netwrk", Some("network")),
        bad(
            changed("clock-step =", "clok-step ="),
            Kind::UnknownKey,
            (31, 1),
            "clok-step",
            Some("clock-step"),
        ),
        bad(changed("by_ms = 11_000", "by = 11_000"), Kind::UnknownKey, (31, 62), "`by`", Some("by_ms")),
        bad(changed("orphan =", "orphn ="), Kind::UnknownKey, (34, 1), "promise-overlap", Some("orphan")),
        bad(
            changed("orphan = \"held\"", "[expect.witness]\ngrant = 1"),
            Kind::UnknownKey,
            (35, 1),
            "hand-over",
            Some("grants"),
        ),
        bad(changed("\"never\"", "\"nevr\""), Kind::Value, (25, 11), "before-write", Some("never")),
        bad(
            changed("orphan = \"held\"", "orphan = \"hold\""),
            Kind::Value,
            (34, 10),
            "not-exercised",
            Some("held"),
        ),
        bad(
            changed("ttl_ms = 10_000", "ttl = 10_000"),
            Kind::Value,
            (16, 7),
            "goes into `ttl_ms`",
            Some("ttl_ms"),
        ),
        bad(changed("ttl_ms = 10_000", "ttl_ms = \"10s\""), Kind::Value, (16, 10), "whole number", None),
        bad(
            changed("nodes = 5", "nodes = 5\npersistence = \"rbd\""),
            Kind::Value,
            (13, 15),
            "aof-everysec",
            Some("rdb"),
        ),
        bad(changed("format = 1", "format = 2"), Kind::Value, (1, 10), "format 2", Some("format = 1")),
        bad(changed("\"a claim\"", "\" \""), Kind::Value, (3, 10), "`claim` is empty", None),
    ]);
}

#[test]
fn missing_keys_and_broken_files() {
    refuse(vec![
        bad(changed("format = 1\n", ""), Kind::MissingKey, (1, 1), "`format`", None),
        bad(changed("seed      = 1\n", ""), Kind::MissingKey, (6, 1), "`seed`", None),
        bad(changed("ttl_ms = 10_000\n", ""), Kind::MissingKey, (14, 1), "`ttl_ms`", Some("ttl_ms = 10_000")),
        bad(changed("like   = \"spec\"\n", ""), Kind::MissingKey, (14, 1), "`like`", Some("like = \"spec\"")),
        bad(changed("holder  = \"never\"\n", ""), Kind::MissingKey, (22, 1), "`holder`", None),
        bad(changed("at_ms = 3_950, ", ""), Kind::MissingKey, (31, 14), "when it begins", Some("at_ms = 0")),
        bad(
            planned("message = { name = \"client-1#1>store:write.1:request\" }"),
            Kind::MissingKey,
            (31, 11),
            "delay_ms",
            Some("lose = true"),
        ),
        bad(changed("nodes = 5", "nodes = 5\nnodes = 5"), Kind::Syntax, (13, 1), "duplicate", None),
        bad(changed("nodes = 5", "nodes = 5 5"), Kind::Syntax, (12, 9), "quoted", None),
        bad(
            changed("[lock.redlock]", "[lock.none]\n[lock.redlock]"),
            Kind::Contradiction,
            (14, 2),
            "exactly one",
            None,
        ),
        bad(
            changed("clock-step =", "flush-scripts = { at_ms = 0, of = \"nodes\" }\nclock-step ="),
            Kind::Contradiction,
            (30, 1),
            "exactly one",
            None,
        ),
        bad(String::new(), Kind::MissingKey, (1, 1), "`format`", None),
    ]);
}

#[test]
fn numbers_outside_their_range() {
    let cap = "2592000000 (30 days)";
    refuse(vec![
        bad(
            changed("seed      = 1", "seed = 9_007_199_254_740_992"),
            Kind::Range,
            (7, 8),
            "9007199254740991",
            Some("9007199254740991"),
        ),
        bad(changed("60_000", "-1"), Kind::Range, (8, 13), cap, Some("1")),
        bad(
            changed("ttl_ms = 10_000", "ttl_ms = 9_000_000_000_000"),
            Kind::Range,
            (16, 10),
            cap,
            Some("2592000000"),
        ),
        bad(changed("[0, 4_000]", "[0, -4_000]"), Kind::Range, (20, 16), "`start_ms` is -4000", Some("0")),
        bad(changed("nodes = 5", "nodes = 32"), Kind::Range, (12, 9), "between 1 and 31", Some("31")),
        bad(changed("count    = 2", "count = 0"), Kind::Range, (19, 9), "between 1 and 1000", Some("1")),
        bad(
            changed("count    = 2", "count = 1_001"),
            Kind::Range,
            (19, 9),
            "between 1 and 1000",
            Some("1000"),
        ),
        bad(changed("cycles  = 1", "cycles = 0"), Kind::Range, (23, 10), "`cycles` is 0", Some("1")),
        bad(changed("by_ms = 11_000", "by_ms = 0"), Kind::Range, (31, 70), "changes nothing", None),
        bad(
            planned("clock-rate = { at_ms = 0, of = \"nodes\", ppm = -1_000_000 }"),
            Kind::Range,
            (31, 47),
            "-999999",
            Some("-999999"),
        ),
        bad(
            planned("pause = { at_ms = 0, of = \"nodes\", kind = \"stop\", for_ms = 0 }"),
            Kind::Range,
            (31, 60),
            "`for_ms` is 0",
            Some("1"),
        ),
        bad(
            changed("orphan = \"held\"", "witness = { grants = -1 }"),
            Kind::Range,
            (34, 22),
            "`grants` is -1",
            Some("0"),
        ),
        bad(
            changed("p50 = 500", "p50 = 5_000_000_000_000"),
            Kind::Range,
            (28, 32),
            "`p50`",
            Some("2592000000000"),
        ),
    ]);
}

#[test]
fn values_of_another_type_are_told_without_our_own_types() {
    refuse(vec![
        bad(changed("\"never\"", "1"), Kind::Value, (25, 11), "one word in quotes", None),
        bad(
            changed("seed      = 1", "seed = 9_223_372_036_854_775_808"),
            Kind::Value,
            (7, 8),
            "`9223372036854775808`, expected a whole number",
            None,
        ),
    ]);
}
