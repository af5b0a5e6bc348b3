//! The rules: text in, complaints out; and, at the end, each of them complaining.
//!
//! Must not read files: `source.rs` does.

use crate::source::{Source, code, functions, paths};
use std::collections::BTreeMap;

/// The first line says what the file is for.
pub(crate) fn header(source: &Source) -> Option<String> {
    let first = source.text.lines().next().unwrap_or_default();
    let says = first.strip_prefix("//! ").is_some_and(|rest| rest.len() > 10);
    (!says).then(|| format!("{}: the first line must be a `//!` header", source.path))
}

/// No more lines than this.
pub(crate) fn length(source: &Source, most: usize) -> Option<String> {
    let lines = source.text.lines().count();
    (lines > most).then(|| format!("{}: {lines} lines, at most {most}", source.path))
}

/// No function with more lines than this.
pub(crate) fn function_length(source: &Source, most: usize) -> Vec<String> {
    let long = functions(&code(&source.text)).into_iter().filter(|(_, lines)| *lines > most);
    long.map(|(name, lines)| format!("{}: fn {name} has {lines} lines, at most {most}", source.path))
        .collect()
}

/// It is a *nonce* or a *fence*, also in comments and texts.
pub(crate) fn words(source: &Source) -> Vec<String> {
    let banned = ["to", "ken"].concat();
    // A published crate that the tests run calls a channel so.
    let theirs = format!("lost_{banned}");
    let lines = source.text.lines().enumerate();
    lines
        .filter(|(_, line)| line.to_lowercase().replace(&theirs, "").contains(&banned))
        .map(|(index, _)| format!("{}:{}: say nonce or fence, not {banned}", source.path, index + 1))
        .collect()
}

/// Names that say nothing.
pub(crate) fn file_name(source: &Source) -> Option<String> {
    let parts = source.path.split(['/', '.']);
    let empty = ["common", "data", "helper", "helpers", "manager", "misc", "util", "utils"];
    let named = parts.into_iter().find(|part| empty.contains(part))?;
    Some(format!("{}: `{named}` says nothing about what is inside", source.path))
}

/// No path of the machine it was written on.
pub(crate) fn machine_path(source: &Source) -> Vec<String> {
    let roots = ["home", "root", "work", "tmp", "Users"].map(|root| format!("/{root}/"));
    let starts = |line: &str, root: &str| {
        line.match_indices(root)
            .any(|(at, _)| at == 0 || line[..at].ends_with([' ', '`', '"', '\'', '(', '=', ':', '[']))
    };
    let lines = source.text.lines().enumerate();
    lines
        .filter(|(_, line)| roots.iter().any(|root| starts(line, root)))
        .map(|(index, _)| format!("{}:{}: a path of one machine", source.path, index + 1))
        .collect()
}

/// No hash map or set: their order differs between runs.
pub(crate) fn hash_order(source: &Source) -> Vec<String> {
    let banned = ["HashMap", "HashSet", "hash_map", "hash_set", "RandomState", "DefaultHasher"];
    complain(
        source,
        |path| path.split("::").any(|word| banned.contains(&word)),
        "takes its order from a hash",
    )
}

/// No clock, chance, environment, file, socket, thread, output or async.
pub(crate) fn purity(source: &Source, thread_local: bool) -> Vec<String> {
    let banned = ["env", "fs", "io", "net", "os", "process", "thread", "time"];
    let words = [
        "async",
        "await",
        "Instant",
        "SystemTime",
        "madsim",
        "tokio",
        "rand",
        "rand_core",
        "rand_chacha",
        "println",
        "eprintln",
        "print",
        "eprint",
        "dbg",
        "getrandom",
    ];
    let outside = |path: &str| {
        let mut parts = path.split("::");
        let (first, second) = (parts.next().unwrap_or_default(), parts.next());
        (first == "std" && second.is_some_and(|second| banned.contains(&second)))
            || words.contains(&first)
            || (first == "thread_local" && !thread_local)
    };
    complain(source, outside, "is outside a pure module's world")
}

/// No floating point.
pub(crate) fn floats(source: &Source) -> Vec<String> {
    complain(source, |path| path.split("::").any(|word| word == "f32" || word == "f64"), "is a float")
}

/// No `Default`: starting values have a name.
pub(crate) fn no_default(source: &Source) -> Vec<String> {
    complain(
        source,
        |path| path.split("::").any(|word| word == "Default"),
        "is banned: name the starting values",
    )
}

fn complain(source: &Source, bad: impl Fn(&str) -> bool, why: &str) -> Vec<String> {
    let found = paths(&code(&source.text)).into_iter().filter(|path| bad(path));
    found.map(|path| format!("{}: `{path}` {why}", source.path)).collect()
}

/// The top-level module that a file belongs to; none for the roots.
pub(crate) fn module(path: &str) -> Option<&str> {
    let (module, rest) = path.strip_prefix("src/")?.split_once('/')?;
    (!rest.is_empty()).then_some(module)
}

/// Who may use whom.
#[derive(Debug)]
pub(crate) struct Table(BTreeMap<String, Vec<String>>);

impl Table {
    /// Reads the rows ``| `module` | may use | holds |`` under the heading `## Modules`.
    pub(crate) fn read(document: &str) -> Self {
        let after = document.split("## Modules").nth(1).expect("a heading `## Modules`");
        let section = after.split("\n## ").next().unwrap_or_default();
        let rows = section.lines().filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
            let module = cells.next()?.trim_end_matches('`').to_owned();
            let words = cells.next()?.split([',', ' ']).filter(|word| !word.is_empty() && *word != "-");
            Some((module, words.map(str::to_owned).collect()))
        });
        Self(rows.collect())
    }

    /// The modules with a row.
    pub(crate) fn modules(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Rows that name each other in a circle, or name what has no row.
    pub(crate) fn cycles(&self) -> Vec<String> {
        let mut placed: Vec<&str> = Vec::new();
        let free = |module: &str, placed: &[&str]| {
            self.0[module].iter().all(|used| used == "everything" || placed.contains(&used.as_str()))
        };
        while let Some(next) = self.modules().find(|module| !placed.contains(module) && free(module, &placed))
        {
            placed.push(next);
        }
        let stuck = self.modules().filter(|module| !placed.contains(module));
        stuck.map(|module| format!("ARCHITECTURE.md: row `{module}` is part of or above a circle")).collect()
    }

    /// Uses of other modules that the file's own row does not allow.
    pub(crate) fn judge(&self, source: &Source) -> Vec<String> {
        let Some(own) = module(&source.path) else { return Vec::new() };
        let Some(allowed) = self.0.get(own) else {
            return vec![format!("{}: module `{own}` has no row in ARCHITECTURE.md", source.path)];
        };
        let may = |used: &str| used == own || allowed.iter().any(|word| word == used || word == "everything");
        let foreign = |path: &str| {
            let used = path.strip_prefix("crate::").map(|rest| rest.split("::").next().unwrap_or_default());
            used.is_some_and(|used| !may(used))
        };
        complain(source, foreign, "is not among what ARCHITECTURE.md lets this module use")
    }
}

/// The `cargo` commands of a document's shell blocks.
pub(crate) fn commands(document: &str) -> Vec<String> {
    let blocks = document.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).filter(|line| line.starts_with("cargo ")).map(str::to_owned).collect()
}

/// The documents that a text names, by their last part: `scenarios/README.md` is `README.md`.
pub(crate) fn named_documents(text: &str) -> Vec<String> {
    let part = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.');
    let words = text.split(part).map(|word| word.trim_end_matches('.'));
    words
        .filter(|word| word.strip_suffix(".md").is_some_and(|name| !name.is_empty()))
        .map(str::to_owned)
        .collect()
}

/// The relative link targets of a document.
pub(crate) fn links(document: &str) -> Vec<String> {
    let targets = document.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://")).map(str::to_owned).collect()
}

#[cfg(test)]
mod complains {
    //! A rule that never fires checks nothing.

    use super::*;

    fn source(text: &str) -> Source {
        Source { path: "src/lock/x.rs".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn about_headers_and_sizes() {
        assert!(header(&source("//! Says what this is for.\n")).is_none());
        for bad in ["", "//!\n", "// A plain comment here.\n", "fn f() {}\n"] {
            assert!(header(&source(bad)).is_some(), "{bad:?}");
        }
        assert!(length(&source("a\nb\n"), 1).is_some() && length(&source("a\nb\n"), 2).is_none());
        let long = source("fn f() {\n\n\n}\n");
        assert_eq!(function_length(&long, 3).len(), 1);
        assert!(function_length(&long, 4).is_empty());
    }

    #[test]
    fn about_words_and_places() {
        let word = ["To", "ken"].concat();
        assert_eq!(words(&source(&format!("fine\nstruct My{word};"))).len(), 1);
        let named = |path: &str| Source { path: path.to_owned(), text: String::new() };
        assert!(file_name(&named("src/lock/util.rs")).is_some());
        assert!(file_name(&named("src/common/mod.rs")).is_some());
        assert!(file_name(&named("src/lock/policy.rs")).is_none());
        let place = ["see /ho", "me/me/x"].concat();
        assert_eq!(machine_path(&source(&place)).len(), 1);
        let inside = [["see ./src", "work", "x and a"].join("/"), ["tm", "p/b"].concat()].join("/");
        assert!(machine_path(&source(&inside)).is_empty());
    }

    #[test]
    fn about_impurity() {
        for bad in [
            "use std::{fmt, fs};",
            "let t = std::time::Instant::now();",
            "std::env::var(x)",
            "async fn f() {}",
            "f().await",
            "use rand::Rng;",
            "thread_local! { static X: u8 = 0; }",
            "println!()",
        ] {
            assert!(!purity(&source(bad), false).is_empty(), "{bad}");
        }
        assert!(purity(&source("thread_local! { static X: u8 = 0; }"), true).is_empty());
        for good in ["use std::fmt;", "// std::fs is not used", "use crate::time::Now;", "let s = \"async\";"]
        {
            assert!(purity(&source(good), false).is_empty(), "{good}");
        }
        assert!(!hash_order(&source("use std::collections::HashMap;")).is_empty());
        assert!(!hash_order(&source("let m = std::collections::hash_map::Entry;")).is_empty());
        assert!(hash_order(&source("#[derive(Hash)]")).is_empty());
        assert!(!floats(&source("let x: f64 = y;")).is_empty());
        assert!(!no_default(&source("#[derive(Clone, Default)]")).is_empty());
    }

    #[test]
    fn about_dependencies() {
        let text = "## Modules\n| module | may use | holds |\n| `time` | - | t |\n| `lock` | time | l |\n\
                    | `cli` | everything | c |\n## Next\n| `x` | y | z |\n";
        let table = Table::read(text);
        assert_eq!(table.modules().collect::<Vec<_>>(), ["cli", "lock", "time"]);
        assert!(table.cycles().is_empty());
        assert!(table.judge(&source("use crate::{time::Now, lock::Input};")).is_empty());
        assert_eq!(table.judge(&source("use crate::{cli, time};")).len(), 1);
        let unknown = Source { path: "src/new/mod.rs".to_owned(), text: String::new() };
        assert_eq!(table.judge(&unknown).len(), 1);
        let circle = Table::read("## Modules\n| `a` | b | - |\n| `b` | a | - |\n| `c` | - | - |\n");
        assert_eq!(circle.cycles().len(), 2);
    }

    #[test]
    fn about_documents() {
        let text =
            "```sh\ncargo test\n# not this\n```\nText `cargo bench`.\n[a](b.md) [c](https://d) [e](f.md#g)\n";
        assert_eq!(commands(text), ["cargo test"]);
        assert_eq!(links(text), ["b.md", "f.md"]);
        let text = "//! See `scenarios/README.md`; a_b.md 6.\nx.mdx, .md";
        assert_eq!(named_documents(text), ["README.md", "a_b.md"]);
    }
}
