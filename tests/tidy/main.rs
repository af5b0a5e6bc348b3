//! What a reader relies on and no compiler checks: headers, sizes, words, purity, who may use whom, and that
//! what the documents name exists.
//!
//! Every rule is a function from text to complaints, and is itself shown to complain. The table of who may use
//! whom has one copy, in `ARCHITECTURE.md`. Must not fix anything.

mod rule;
mod source;

use rule::Table;
use source::{Source, code, file, files};
use std::collections::BTreeSet;

const RUST: [&str; 5] = ["src", "tests", "benches", "examples", "fuzz"];

/// Modules whose values live in a prover's state: time, nonces and choices arrive as inputs.
const PURE: [&str; 10] =
    ["time", "name", "canon", "resp", "lock", "redis", "history", "plan", "check", "world"];

/// Files of pure modules that may keep a per-thread store, with the reason.
const THREAD_LOCAL: [(&str, &str); 1] =
    [("src/redis/lua", "Lua interpreters are not values; each thread reuses its own")];

#[track_caller]
fn assert_tidy(complaints: impl IntoIterator<Item = String>) {
    let complaints: Vec<String> = complaints.into_iter().collect();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

fn documents() -> Vec<Source> {
    let mut found = files(
        &[
            "README.md",
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
            "scenarios",
            "models",
            "reports",
        ],
        "md",
    );
    found.extend(files(&["src", "tests"], "md"));
    found
}

#[test]
fn files_have_headers_and_stay_small() {
    let sources = files(&RUST, "rs");
    assert!(sources.len() > 20, "the walk found only {} files", sources.len());
    assert_tidy(sources.iter().flat_map(rule::header));
    assert_tidy(sources.iter().flat_map(|source| rule::length(source, 600)));
    assert_tidy(rule::length(&file("src/main.rs"), 60));
    assert_tidy(rule::length(&file("ARCHITECTURE.md"), 150));
}

#[test]
fn functions_stay_short() {
    assert_tidy(files(&["src", "benches"], "rs").iter().flat_map(|source| rule::function_length(source, 70)));
    // A table of cases is one function.
    assert_tidy(files(&["tests"], "rs").iter().flat_map(|source| rule::function_length(source, 110)));
}

#[test]
fn banned_words_do_not_appear() {
    let mut sources = files(&RUST, "rs");
    sources.extend(files(&["scenarios", "models", "Cargo.toml", ".ci"], "toml"));
    sources.extend(files(&["src"], "lua"));
    sources.extend(documents());
    assert_tidy(sources.iter().flat_map(rule::words));
    assert_tidy(sources.iter().flat_map(rule::file_name));
    assert_tidy(sources.iter().flat_map(rule::machine_path));
}

#[test]
fn no_order_comes_from_a_hash() {
    let sources = files(&["src"], "rs");
    // Tests may look at what a hash does.
    let code = sources.iter().filter(|source| !source.path.contains("/tests/"));
    assert_tidy(code.flat_map(rule::hash_order));
}

#[test]
fn pure_modules_touch_nothing_outside() {
    for module in PURE {
        let sources = files(&[&format!("src/{module}")], "rs");
        assert!(!sources.is_empty(), "src/{module} is gone: fix the list of pure modules");
        for source in &sources {
            let own_store = THREAD_LOCAL.iter().any(|(place, _)| source.path.starts_with(place));
            assert_tidy(rule::purity(source, own_store));
        }
    }
}

#[test]
fn time_and_chance_have_no_floats() {
    let exact = ["time", "name", "canon", "lock", "history", "plan", "check", "world", "scenario", "sim"];
    for module in exact {
        assert_tidy(files(&[&format!("src/{module}")], "rs").iter().flat_map(rule::floats));
    }
}

#[test]
fn policies_and_plans_have_no_default() {
    assert_tidy(files(&["src/lock", "src/plan"], "rs").iter().flat_map(rule::no_default));
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let table = Table::read(&file("ARCHITECTURE.md").text);
    let sources = files(&["src"], "rs");
    assert_tidy(table.cycles());
    assert_tidy(sources.iter().flat_map(|source| table.judge(source)));
    let folders: BTreeSet<&str> = sources.iter().filter_map(|source| rule::module(&source.path)).collect();
    let named: BTreeSet<&str> = table.modules().collect();
    assert_eq!(folders, named, "folders of src/ (left) and rows of ARCHITECTURE.md's table (right) differ");
}

#[test]
fn every_dependency_has_a_reason() {
    let cargo: toml::Table = file("Cargo.toml").text.parse().expect("a manifest");
    let architecture = file("ARCHITECTURE.md").text;
    let own = cargo["package"]["name"].as_str().expect("a name");
    for section in ["dependencies", "dev-dependencies"] {
        for name in cargo[section].as_table().expect("a table").keys().filter(|name| *name != own) {
            let given = architecture
                .lines()
                .any(|line| line.starts_with("| `") && line.contains(&format!("`{name}`")));
            assert!(given, "ARCHITECTURE.md gives no reason for {name}");
        }
    }
}

#[test]
fn every_scenario_is_listed() {
    let lists = [file("README.md").text, file("scenarios/README.md").text].concat();
    let scenarios = files(&["scenarios"], "toml");
    let tests = scenarios.iter().filter_map(|source| source.path.strip_prefix("scenarios/"));
    let names: Vec<&str> = tests.filter_map(|name| name.strip_suffix(".toml")).collect();
    assert!(!names.is_empty(), "no scenario is shipped");
    for name in names.iter().filter(|name| !name.contains('/')) {
        assert!(lists.contains(&format!("`{name}`")), "scenarios/README.md does not list `{name}`");
    }
}

#[test]
fn every_model_is_listed() {
    let list = file("models/README.md").text;
    let models = files(&["models"], "toml");
    assert!(!models.is_empty(), "no model is shipped");
    for path in models.iter().filter_map(|source| source.path.strip_prefix("models/")) {
        let name = path.trim_end_matches(".toml");
        assert!(list.contains(&format!("[`{name}`]({path})")), "models/README.md does not list `{name}`");
    }
}

#[test]
fn the_gate_runs_what_the_readme_says() {
    let gate = file(".ci/run").text;
    let commands = rule::commands(&file("README.md").text);
    assert!(commands.iter().any(|command| command == "cargo test"), "the README has no test command");
    assert!(commands.len() >= 2, "the README shows only {commands:?}");
    for command in commands {
        assert!(
            gate.lines().any(|line| line.trim_end().ends_with(&command)),
            ".ci/run does not run {command:?}"
        );
    }
}

#[test]
fn comments_name_only_documents_that_are_here() {
    let here: Vec<String> = documents().into_iter().map(|document| document.path).collect();
    let mut sources = files(&RUST, "rs");
    sources.retain(|source| !source.path.starts_with("tests/tidy/")); // It makes names up to complain about.
    sources.extend(files(&["src"], "lua"));
    sources.extend(files(&["scenarios", "models"], "toml"));
    for source in sources {
        for named in rule::named_documents(&source.text) {
            let found = here.iter().any(|path| path.rsplit('/').next() == Some(&named));
            assert!(found, "{} names {named}, which is not there", source.path);
        }
    }
}

#[test]
fn links_of_documents_lead_somewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for document in documents() {
        let folder = root.join(&document.path).parent().expect("a folder").to_path_buf();
        for link in rule::links(&document.text) {
            assert!(folder.join(&link).exists(), "{} links to {link}, which is not there", document.path);
        }
    }
}

#[test]
fn one_compile_error_guards_the_async_part() {
    let errors: Vec<String> = files(&["src"], "rs")
        .iter()
        .flat_map(|source| vec![source.path.clone(); code(&source.text).matches("compile_error!").count()])
        .collect();
    assert_eq!(errors, ["src/lib.rs"], "a user without the cfg sees exactly one error");
}
