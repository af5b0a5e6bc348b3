//! A count is written into a file and nothing else of it changes.

use super::{GOOD, good};
use fencepost::prove::{Pinned, pin};

#[test]
fn a_first_count_is_added_at_the_end() {
    let text = pin(GOOD, Pinned { states: 412_331 });
    assert_eq!(text, format!("{GOOD}\n[pinned]\nexhausted = true\nstates = 412_331\n"));
    assert_eq!(good(&text).pinned, Some(Pinned { states: 412_331 }));
}

#[test]
fn a_later_count_replaces_it_and_comments_stay() {
    let table =
        "[pinned] # by the prover\nexhausted = true  # all of it\nstates    = 7     # so many\n\n# the end\n";
    let before = GOOD.replace("[expect]", &format!("# Before.\n{table}\n[expect]"));
    let after = pin(&before, Pinned { states: 1_234_567 });
    assert_eq!(after, before.replace("= 7  ", "= 1_234_567  "));
    assert_eq!(pin(&after, Pinned { states: 1_234_567 }), after, "the same count changes nothing");
    let inline = format!("pinned = {{ exhausted = true, states = 7 }}\n{GOOD}");
    assert_eq!(pin(&inline, Pinned { states: 80 }), inline.replace("states = 7", "states = 80"));
}
