//! The shipped files, and errors as a machine reads them.

use super::changed;
use fencepost::check::{Expected, OracleName};
use fencepost::scenario::{Locator, find, parse, shipped};
use std::collections::BTreeSet;

#[test]
fn errors_as_json() {
    let error = parse("x.toml", &changed("nodes = 5", "nodes = 99")).unwrap_err();
    let json = serde_json::to_value(&error).unwrap();
    let expected = serde_json::json!({
        "kind": "range", "file": "x.toml", "line": 12, "column": 9,
        "message": "`nodes` is 99; it must lie between 1 and 31", "suggestion": "31",
    });
    assert_eq!(json, expected);
    assert_eq!(error.to_string(), "x.toml:12:9: `nodes` is 99; it must lie between 1 and 31");
}

#[test]
fn shipped_files_are_read_and_found_by_name() {
    let names: Vec<&str> = shipped().map(|(name, _)| name).collect();
    assert!(names.len() >= 40 && names.is_sorted(), "{names:?}");
    for (name, text) in shipped() {
        let scenario = parse(name, text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scenario.name, name);
        assert!(scenario.expect.is_some(), "{name} expects nothing");
        assert_eq!(find(name), Ok(Locator::Shipped { name, text }));
    }
    assert_eq!(find("./calm-single"), Ok(Locator::Path("./calm-single".to_owned())));
    assert_eq!(find("calm-single.toml"), Ok(Locator::Path("calm-single.toml".to_owned())));
    let unknown = find("kleppman-clock-jump").unwrap_err();
    assert_eq!(unknown.suggestion.as_deref(), Some("kleppmann-clock-jump"));
}

#[test]
fn every_oracle_is_violated_by_one_shipped_file_and_held_by_another() {
    let mut seen = BTreeSet::new();
    for (name, text) in shipped() {
        seen.extend(parse(name, text).unwrap().expect.unwrap().oracles);
    }
    for (oracle, _) in &OracleName::TEXTS {
        for expected in [Expected::Held, Expected::Violated] {
            assert!(
                seen.contains(&(*oracle, expected)),
                "no shipped file expects {oracle} to be {expected:?}"
            );
        }
    }
}

#[test]
fn the_list_of_shipped_files_is_complete_and_says_their_titles() {
    let readme = include_str!("../../scenarios/README.md");
    let rows: Vec<String> = shipped()
        .map(|(name, text)| format!("| [`{name}`]({name}.toml) | {} |", parse(name, text).unwrap().title))
        .collect();
    let listed: Vec<&str> = readme.lines().filter(|line| line.starts_with("| [`")).collect();
    assert_eq!(listed, rows);
}
