//! Names that mean nothing, and plans that contradict themselves.

use super::{Kind, bad, changed, planned, refuse};

#[test]
fn names_that_mean_nothing() {
    let message = |name: &str| planned(&format!("message = {{ name = \"{name}\", lose = true }}"));
    let after = |name: &str| planned(&format!("crash = {{ after = \"{name}\", of = \"client-1\" }}"));
    let of = |fault: &str, of: &str| planned(&format!("{fault} = {{ at_ms = 0, of = {of} }}"));
    refuse(vec![
        bad(of("kill", "\"node-9\""), Kind::Name, (31, 26), "has 5 nodes", Some("node-5")),
        bad(of("crash", "\"client-9\""), Kind::Name, (31, 27), "has 2 clients", Some("client-2")),
        bad(
            of("crash", "[\"client-1\", \"client-3\"]"),
            Kind::Name,
            (31, 40),
            "no client-3",
            Some("client-2"),
        ),
        bad(of("kill", "\"node-0\""), Kind::Name, (31, 26), "counted from 1", Some("node-1")),
        bad(of("kill", "\"nodes-1\""), Kind::Name, (31, 26), "not a process", Some("node-1")),
        bad(of("kill", "[]"), Kind::Name, (31, 26), "names nobody", None),
        bad(
            of("kill", "[\"node-1\", \"node-2\", \"node-1\"]"),
            Kind::Contradiction,
            (31, 47),
            "node-1 is named twice",
            None,
        ),
        bad(
            of("kill", "[\"nodes\", \"node-4\"]"),
            Kind::Contradiction,
            (31, 36),
            "node-4 is named twice",
            None,
        ),
        bad(of("kill", "\"replica-1.1\""), Kind::Name, (31, 26), "no replica behind node-1", Some("node-5")),
        bad(of("kill", "\"replicas\""), Kind::Name, (31, 26), "no replicas", Some("nodes")),
        bad(of("power-loss", "\"client-1\""), Kind::Name, (31, 32), "for nodes", Some("crash")),
        bad(of("crash", "\"node-1\""), Kind::Name, (31, 27), "for clients", Some("kill")),
        bad(of("kill", "\"client-1\""), Kind::Name, (31, 26), "for nodes", Some("crash")),
        bad(of("evict", "\"store\""), Kind::Name, (31, 27), "cannot suffer", None),
        bad(of("flush-scripts", "\"clients\""), Kind::Name, (31, 35), "for nodes", None),
        bad(
            after("client-1:write.1.check"),
            Kind::Name,
            (31, 19),
            "not a point",
            Some("client-1#1:write.1.check"),
        ),
        bad(
            after("client-1#1>store:write.1"),
            Kind::Name,
            (31, 19),
            "not a message",
            Some("client-1#1>store:write.1:request"),
        ),
        bad(after("client-7#1:write.1.check"), Kind::Name, (31, 19), "no client-7", Some("client-2")),
        bad(
            message("client-1#1>node-8:acquire.1.set.1:request"),
            Kind::Name,
            (31, 20),
            "no node-8",
            Some("node-5"),
        ),
        bad(message("client-1#1:write.1.check"), Kind::Name, (31, 20), "a message is wanted", None),
        bad(
            changed("[network]", "[[client]]\nid = \"node-1\"\n\n[network]"),
            Kind::Name,
            (28, 6),
            "no client",
            Some("client-1"),
        ),
    ]);
}

#[test]
fn plans_that_contradict_themselves() {
    let pause = |keys: &str| planned(&format!("pause = {{ at_ms = 0, {keys} }}"));
    refuse(vec![
        bad(
            changed("at_ms = 3_950", "at_ms = 3_950, at_us = 7"),
            Kind::Contradiction,
            (31, 39),
            "both set",
            None,
        ),
        bad(
            changed("at_ms = 3_950", "at_ms = 1, after = \"client-1#1:enter.1\""),
            Kind::Contradiction,
            (31, 24),
            "not both",
            None,
        ),
        bad(changed("at_ms = 3_950", "at_ms = 60_000"), Kind::Contradiction, (31, 24), "limit_ms", None),
        bad(
            changed("\"wall\"", "\"mono\""),
            Kind::Contradiction,
            (31, 54),
            "never steps",
            Some("clock = \"wall\""),
        ),
        bad(
            pause("of = \"client-1\", worker = \"user\", kind = \"suspend\""),
            Kind::Contradiction,
            (31, 63),
            "as a whole",
            Some("kind = \"stop\""),
        ),
        bad(
            pause("of = \"node-1\", worker = \"user\", kind = \"stop\""),
            Kind::Contradiction,
            (31, 46),
            "only clients",
            None,
        ),
    ]);
}

#[test]
fn sides_and_directives_that_contradict_themselves() {
    let cut = |between: &str| {
        planned(&format!("cut = {{ at_ms = 0, between = {between}, direction = \"both\", how = \"reset\" }}"))
    };
    refuse(vec![
        bad(
            cut("[\"nodes\", \"clients\"]").replace("both", "requests"),
            Kind::Contradiction,
            (31, 64),
            "seen from the first side; name client-1 there",
            Some("direction = \"both\""),
        ),
        bad(
            cut("[\"client-1\", [\"node-1\", \"client-2\"]]"),
            Kind::Contradiction,
            (31, 54),
            "client-2 has nobody to talk to on the side of client-1",
            None,
        ),
        bad(
            cut("[\"node-1\", \"node-2\"]"),
            Kind::Contradiction,
            (31, 31),
            "other nodes of their voter",
            None,
        ),
        bad(cut("[[\"client-1\", \"store\"], \"nodes\"]"), Kind::Contradiction, (31, 44), "store has", None),
        bad(
            cut("[\"client-1\"]"),
            Kind::Value,
            (31, 30),
            "two sides",
            Some("between = [\"clients\", \"nodes\"]"),
        ),
        bad(
            planned("message = { name = \"client-1#1>store:write.1:request\", lose = true, delay_ms = 1 }"),
            Kind::Contradiction,
            (31, 63),
            "no delay",
            None,
        ),
        bad(
            planned("order = { at_ms = 1, of = \"client-1\", first = \"timers\", then = \"timers\" }"),
            Kind::Contradiction,
            (31, 64),
            "the same",
            None,
        ),
        bad(
            planned(
                "order = { at_ms = 1, of = \"client-1\", first = \"client-1#1>node-1:acquire.1.set.1:request\", then = \"timers\" }",
            ),
            Kind::Contradiction,
            (31, 47),
            "handled by node-1",
            None,
        ),
    ]);
}

#[test]
fn one_message_has_one_fate_and_orders_know_their_words() {
    let name = "client-1#1>node-1:acquire.1.set.1:request";
    let order = |first: &str| {
        planned(&format!(
            "order = {{ at_ms = 0, of = \"client-1\", first = \"{first}\", then = \"timers\" }}"
        ))
    };
    let twice = planned(&format!(
        "message = {{ name = \"{name}\", lose = true }}\n[[plan]]\nmessage = {{ name = \"{name}\", delay_ms = 5 }}"
    ));
    refuse(vec![
        bad(twice, Kind::Contradiction, (33, 20), "already has an entry", None),
        bad(order("message"), Kind::Name, (31, 47), "neither `messages`, `timers`", Some("messages")),
    ]);
}
