//! The reference in `models/README.md` names exactly the keys that the reader accepts, and every shipped model.

use super::{GOOD, changed};
use fencepost::prove::{parse_model, shipped_models};
use fencepost::scenario::InputErrorKind as Kind;
use std::collections::BTreeSet;

const README: &str = include_str!("../../models/README.md");

/// The keys that the reader names when it meets one it does not know.
#[track_caller]
fn accepted(text: &str) -> BTreeSet<String> {
    let error = parse_model("x.toml", text).expect_err("zzz is no key");
    assert!(
        error.kind == Kind::UnknownKey && error.message.starts_with("unknown key `zzz`"),
        "{error}\n{text}"
    );
    let known = error.message.split_once("known here: ").map_or("", |(_, known)| known);
    known.split(", ").filter(|key| !key.is_empty()).map(str::to_owned).collect()
}

/// The keys in the first cells of the table under the heading.
fn documented(heading: &str) -> BTreeSet<String> {
    let mut sections = README.split("\n### ");
    let section = sections.find(|section| section.lines().next() == Some(heading));
    let section = section.unwrap_or_else(|| panic!("no section `{heading}`"));
    let section = section.split("\n## ").next().unwrap_or_default();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    cells.flat_map(|cell| cell.split(", ").map(|key| key.trim_matches(['`', ' ']).to_owned())).collect()
}

#[test]
fn the_reference_names_exactly_the_accepted_keys() {
    let in_table = |table: &str| changed(table, &format!("{table}\nzzz = 0"));
    let lock = "`[lock.single]` and `[lock.redlock]`";
    let probes = [
        ("Top level", format!("zzz = 0\n{GOOD}")),
        ("`[scope]`", in_table("[scope]")),
        (lock, in_table("[lock.redlock]")),
        (lock, changed("[lock.redlock]", "[lock.single]\nzzz = 0")),
        ("`[faults]`", in_table("[faults]")),
        ("One kind of fault", changed("budget = 1", "zzz = 1")),
        ("`[progress]`", format!("{GOOD}[progress]\nzzz = 0\n")),
        ("`[pinned]`", format!("{GOOD}[pinned]\nzzz = 0\n")),
    ];
    for (heading, text) in probes {
        assert_eq!(documented(heading), accepted(&text), "{heading}");
    }
}

#[test]
fn every_shipped_model_is_listed() {
    for (name, _) in shipped_models() {
        assert!(
            README.contains(&format!("[`{name}`]({name}.toml)")),
            "models/README.md does not list `{name}`"
        );
    }
}
