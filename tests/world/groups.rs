//! Replicas, failover and files: what the nodes of one voter do, to the microsecond.
//!
//! Every message takes 1 ms, so a replica applies what its primary executed 1 ms later, plus the lag.

use super::story::{Given, given, story};

const NEWS: &str = "granted refused rerouted replicated resynced gone fault fault-end left-over";

/// One voter with these keys of its deployment, and two clients; the second one starts late.
fn group(deployment: &str, start: &str, plan: &[&str]) -> Given {
    let deployment = format!("topology = \"replicated\"\n{deployment}");
    let base = Given { clients: 2, start_ms: format!("[0, {start}]"), deployment, ..given() };
    base.lock("single", "ttl_ms = 1_000").plan(plan)
}

#[test]
fn a_replica_applies_what_its_primary_executed_one_latency_and_the_lag_later() {
    for (lag, expected) in [
        (
            "",
            "2 replica-1.1 replicated node-1 1
             2 client-1 granted 1 until mono 988
             104 replica-1.1 replicated node-1 2",
        ),
        (
            "lag_ms = 40",
            "2 client-1 granted 1 until mono 988
             42 replica-1.1 replicated node-1 1
             144 replica-1.1 replicated node-1 2",
        ),
    ] {
        let mut one = group(&format!("replicas = 1\n{lag}"), "0", &[]);
        (one.clients, one.start_ms) = (1, "0".into());
        one.tells(NEWS, expected);
    }
}

#[test]
fn what_a_dying_primary_held_back_is_lost() {
    let plan = [
        "kill = { after = \"client-1#1:granted.1\", of = \"node-1\" }",
        "promote = { at_ms = 100, of = \"replica-1.1\" }",
    ];
    group("replicas = 1\nlag_ms = 5", "200", &plan).tells(
        NEWS,
        "2 client-1 granted 1 until mono 988
         2 node-1 fault 0
         2 node-1 gone Restart
         100 replica-1.1 fault 1
         101 client-1 rerouted replica-1.1
         101 client-2 rerouted replica-1.1
         204 client-2 granted 2 until mono 1188",
    );
}

#[test]
fn a_shutdown_ships_what_was_held_back() {
    let plan = [
        "shutdown = { after = \"client-1#1:granted.1\", of = \"node-1\" }",
        "promote = { at_ms = 100, of = \"replica-1.1\" }",
    ];
    group("replicas = 1\nlag_ms = 50", "200", &plan).tells(
        NEWS,
        "2 client-1 granted 1 until mono 988
         2 node-1 fault 0
         2 node-1 gone Restart
         3 replica-1.1 replicated node-1 1
         100 replica-1.1 fault 1
         101 client-1 rerouted replica-1.1
         101 client-2 rerouted replica-1.1
         204 client-2 granted 2 until mono 1188",
    );
}

#[test]
fn clients_learn_when_the_plan_says_and_a_demoted_node_answers_readonly() {
    let plan = [
        "promote = { at_ms = 10, of = \"replica-1.1\", learn_ms = 30, except = { client-2 = \"never\" } }",
        "demote = { at_ms = 60, of = \"node-1\" }",
    ];
    group("replicas = 1", "100", &plan).tells(
        NEWS,
        "2 replica-1.1 replicated node-1 1
         2 client-1 granted 1 until mono 988
         10 replica-1.1 fault 0
         40 client-1 rerouted replica-1.1
         60 node-1 fault 1
         62 node-1 resynced replica-1.1
         104 client-2 refused Taken
         106 node-1 replicated replica-1.1 2",
    );
}

#[test]
fn a_cut_holds_the_news_back_until_it_heals() {
    let plan = [
        "promote = { at_ms = 10, of = \"replica-1.1\" }",
        "cut = { at_ms = 5, between = [\"client-2\", \"replica-1.1\"], direction = \"both\", how = \"hold\", for_ms = 40 }",
        "pause = { at_ms = 5, of = \"client-1\", kind = \"stop\", for_ms = 60 }",
    ];
    group("replicas = 1", "300", &plan).tells(
        "rerouted fault",
        "5 client-2 fault 1
         5 client-1 fault 2
         10 replica-1.1 fault 0
         45 client-2 rerouted replica-1.1
         65 client-1 rerouted replica-1.1",
    );
}

#[test]
fn a_primary_that_restarts_empty_empties_its_replica() {
    let plan = ["kill = { at_ms = 20, of = \"node-1\", for_ms = 10 }"];
    group("replicas = 1\nrestart_delay_ms = 5", "70", &plan).tells(
        NEWS,
        "2 replica-1.1 replicated node-1 1
         2 client-1 granted 1 until mono 988
         20 node-1 fault 0
         20 node-1 gone Restart
         35 node-1 fault-end 0
         37 replica-1.1 resynced node-1
         74 replica-1.1 replicated node-1 1
         74 client-2 granted 2 until mono 1058
         176 replica-1.1 replicated node-1 2",
    );
}

#[test]
fn cuts_between_nodes_hold_or_break_their_link() {
    for (how, link) in [
        ("hold", "21.500 replica-1.1 replicated node-1 1"),
        ("reset", "23.500 replica-1.1 resynced node-1"),
        ("black-hole", "23.500 replica-1.1 resynced node-1"),
    ] {
        let cut = format!(
            "cut = {{ at_us = 1_500, between = [\"node-1\", \"replica-1.1\"], direction = \"both\", how = \"{how}\", for_ms = 20 }}"
        );
        let expected = format!(
            "1.500 node-1 fault 0
             21.500 node-1 fault-end 0
             {link}
             104 replica-1.1 replicated node-1 2
             502 replica-1.1 replicated node-1 3
             604 replica-1.1 replicated node-1 4"
        );
        group("replicas = 1", "500", &[&cut]).tells("replicated resynced fault fault-end", &expected);
    }
}

#[test]
fn files_keep_what_their_mode_keeps() {
    let lost = "50 node-1 gone Restart\n74 client-2 granted 2 until mono 1058";
    let kept = "76 client-2 refused Taken";
    for (persistence, fault, expected) in [
        ("none", "kill", lost),
        ("none", "shutdown", lost),
        ("rdb", "kill", lost),
        ("rdb", "shutdown", kept),
        ("aof-always", "power-loss", kept),
        ("aof-everysec", "kill", kept),
        ("aof-everysec", "power-loss", lost),
        ("aof-no", "kill", kept),
        ("aof-no", "power-loss", lost),
        ("aof-no", "shutdown", kept),
    ] {
        let plan = format!("{fault} = {{ at_ms = 50, of = \"node-1\", for_ms = 10 }}");
        let deployment = format!("persistence = \"{persistence}\"");
        let one = Given { clients: 2, start_ms: "[0, 70]".into(), deployment, ..given() };
        let expected = format!("2 client-1 granted 1 until mono 988\n{expected}");
        one.lock("single", "ttl_ms = 1_000").plan(&[&plan]).tells("granted refused gone", &expected);
    }
}

/// The life of a key goes on while its node is down.
#[test]
fn a_key_that_expired_while_its_node_was_down_is_gone_at_the_restart() {
    let plan = [
        "kill = { at_ms = 50, of = \"node-1\", for_ms = 2_000 }",
        "crash = { at_ms = 60, of = \"client-1\" }",
    ];
    let one = Given { deployment: "persistence = \"aof-always\"".into(), ..given() };
    one.plan(&plan).tells("gone fault-end", "2050 node-1 gone Expiry\n2050 node-1 fault-end 0");
}

#[test]
fn wait_counts_what_replicas_acknowledged() {
    let paused = "pause = { at_ms = 0, of = \"replica-1.2\", kind = \"stop\", for_ms = 30 }";
    for (deployment, wait, plan, granted) in [
        ("replicas = 2", "all", &[][..], 8),
        // Behind what was already sent, the question is held back as long as an entry.
        ("replicas = 2\nlag_ms = 5", "any", &[], 11),
        ("replicas = 2", "all", &[paused], 32),
        ("replicas = 2", "any", &[paused], 6),
    ] {
        let mut one = group(deployment, "0", plan);
        (one.clients, one.start_ms) = (1, "0".into());
        let lock = format!("ttl_ms = 1_000\nnode_timeout_ms = 60\nwait = \"{wait}\"\nwait_ms = 50");
        let expected = format!("{granted} client-1 granted 1 until mono 988");
        one.lock("single", &lock).tells("granted refused", &expected);
    }
}

#[test]
fn whoever_waits_at_a_primary_that_is_demoted_is_told_at_once() {
    let plan = [
        "promote = { at_ms = 8, of = \"replica-1.1\", learn_ms = \"never\" }",
        "demote = { at_ms = 9, of = \"node-1\" }",
    ];
    let mut one = group("replicas = 1\nlag_ms = 40", "0", &plan);
    (one.clients, one.start_ms) = (1, "0".into());
    let one = one.lock("single", "ttl_ms = 1_000\nnode_timeout_ms = 60\nwait = \"any\"\nwait_ms = 50");
    let told = story(&one.run().records, "handled");
    let answer = "10 client-1 handled client-1#1>node-1:acquire.1.wait.1:reply";
    assert!(told.iter().any(|line| line == answer), "{told:#?}");
}

#[test]
fn a_primary_without_good_replicas_refuses_to_write() {
    let cut = |how: &str| {
        format!(
            "cut = {{ at_ms = 1_500, between = [\"node-1\", \"replica-1.1\"], direction = \"both\", how = \"{how}\", for_ms = 9_000 }}"
        )
    };
    // The last acknowledgement came in second 1; in second 4 it is too old. A reset is seen at once.
    for (how, start, expected) in [
        ("hold", 2_900, "2902 client-1 granted 1 until mono 3888"),
        ("hold", 3_900, "3902 client-1 granted 1 until mono 4888"),
        ("hold", 4_000, "4004 client-1 refused Taken"),
        ("reset", 1_600, "1604 client-1 refused Taken"),
    ] {
        let mut one = group("replicas = 1\nmin_replicas = { count = 1, max_lag_s = 2 }", "0", &[&cut(how)]);
        (one.clients, one.start_ms) = (1, start.to_string());
        one.tells("granted refused", expected);
    }
}

#[test]
fn a_primary_deletes_what_has_expired_at_its_next_tick_and_ships_that() {
    let mut one = group("replicas = 1", "0", &["crash = { at_ms = 50, of = \"client-1\" }"]);
    (one.clients, one.start_ms) = (1, "0".into());
    one.tells(
        "replicated gone",
        "2 replica-1.1 replicated node-1 1
         1002 node-1 gone Expiry
         1101 replica-1.1 replicated node-1 2",
    );
}

/// Of a voter with several nodes those count that clients address.
#[test]
fn a_rival_can_win_once_somebody_addresses_a_node_without_the_lock() {
    let plan = [
        "kill = { after = \"client-1#1:granted.1\", of = \"node-1\" }",
        "promote = { at_ms = 50, of = \"replica-1.1\" }",
    ];
    group("replicas = 1\nlag_ms = 5", "200", &plan).tells(
        "backing",
        "2 client-1 backing 1 0/1 promised Promise
         51 client-1 backing 1 1/1 promised Failover
         204 client-2 backing 2 0/1 promised Promise",
    );
}
