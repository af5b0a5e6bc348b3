//! Model files as input: what is read from good ones, where and how bad ones are refused, what is written back; and
//! counterexamples through the scenario format.
//!
//! Goes through the public door only. The file below is the good one; each case changes one place of it.

mod counterexamples;
mod finds;
mod good;
mod pinned;
mod reference;
mod refused;
mod shipped;

use fencepost::prove::{Model, parse_model};

const GOOD: &str = r#"format = 1
title  = "a title"
claim  = "a claim"
source = ["a source"]

[scope]
clients         = 2
nodes           = 3
ttl_ticks       = 4
delay_ticks_max = 1
work_ticks_max  = 2
holder          = "leaves"

[lock.redlock]
like               = "spec"
node_timeout_ticks = 2
margin_ticks       = 1

[faults]
total       = 2
client-stop = { budget = 1, ticks_max = 6 }

[expect]
promise-overlap = "held"
"#;

/// The good file with one place changed.
#[track_caller]
fn changed(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "`{from}` must be one place of the good file");
    GOOD.replace(from, to)
}

#[track_caller]
fn good(text: &str) -> Model {
    parse_model("folder/some-name.toml", text)
        .unwrap_or_else(|error| panic!("{error} ({:?})\n{text}", error.suggestion))
}
