//! Rust text as the rules need it: files, code without comments and literals, paths, functions.
//!
//! Not a parser: it knows just enough to be right about formatted code. Must not judge; rules live in `main.rs`.

use std::fs;
use std::path::{Path, PathBuf};

/// A file of the package.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Its path from the package's root, with forward slashes.
    pub(crate) path: String,
    /// What it says.
    pub(crate) text: String,
}

/// Every file with this extension under the given places, sorted by path. A place that is missing is empty.
pub(crate) fn files(places: &[&str], extension: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for place in places {
        walk(&root.join(place), extension, &mut found);
    }
    found.sort();
    found.into_iter().map(|path| read(&path, root)).collect()
}

/// One file that has to be there.
#[track_caller]
pub(crate) fn file(path: &str) -> Source {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let full = root.join(path);
    assert!(full.is_file(), "{path} is missing");
    read(&full, root)
}

fn walk(place: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    if place.is_file() {
        found.push(place.to_path_buf());
        return;
    }
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            walk(&path, extension, found);
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
}

fn read(path: &Path, root: &Path) -> Source {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let path = path.strip_prefix(root).expect("inside the package");
    Source { path: path.to_string_lossy().replace('\\', "/"), text }
}

/// The text with comments, strings and character literals blanked; lines stay where they are.
pub(crate) fn code(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_end(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// The end of the comment or literal that begins at `at`; `at` itself if none does.
fn literal_end(chars: &[char], at: usize) -> usize {
    let next = |offset: usize| chars.get(at + offset).copied().unwrap_or('\0');
    let find = |from: usize, stop: &[char]| {
        (from..chars.len()).find(|i| chars[*i..].starts_with(stop)).map_or(chars.len(), |i| i + stop.len())
    };
    let word_before = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match (chars[at], next(1)) {
        ('/', '/') => find(at, &['\n']) - usize::from(chars[at..].contains(&'\n')),
        ('/', '*') => find(at + 2, &['*', '/']),
        ('r', '"' | '#') if !word_before || (chars[at - 1] == 'b' && at > 0) => {
            let hashes = (1..).take_while(|i| next(*i) == '#').count();
            if next(1 + hashes) != '"' {
                return at;
            }
            let stop: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            find(at + 2 + hashes, &stop)
        }
        ('"', _) => {
            let mut end = at + 1;
            while end < chars.len() && chars[end] != '"' {
                end += if chars[end] == '\\' { 2 } else { 1 };
            }
            (end + 1).min(chars.len())
        }
        ('\'', '\\') => find(at + 3, &['\'']),
        ('\'', _) if next(2) == '\'' => at + 3,
        _ => at,
    }
}

/// Every path in the code, use-groups expanded: `use a::{b, c::d};` gives `a::b` and `a::c::d`. A single word is
/// a path too.
pub(crate) fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut prefixes: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            if !current.ends_with("::") {
                finish(&mut current, &mut found);
                current.push_str(prefixes.last().map_or("", String::as_str));
            }
            current.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let continues = rest.starts_with("::") && !current.is_empty() && !current.ends_with("::");
        match first {
            ':' if continues => {
                current.push_str("::");
                rest = &rest[2..];
                continue;
            }
            '{' if current.ends_with("::") => prefixes.push(std::mem::take(&mut current)),
            '{' => prefixes.push(String::new()),
            '}' => {
                finish(&mut current, &mut found);
                prefixes.pop();
            }
            _ => {}
        }
        finish(&mut current, &mut found);
        rest = &rest[first.len_utf8()..];
    }
    finish(&mut current, &mut found);
    found
}

fn finish(current: &mut String, found: &mut Vec<String>) {
    if !current.is_empty() {
        found.push(std::mem::take(current));
    }
}

/// Name and length in lines of every function that has a body, from its `fn` to its closing brace.
pub(crate) fn functions(code: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("fn ") {
        let before = code[..start].chars().next_back();
        let name: String =
            code[start + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let inside_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if name.is_empty() || inside_word || declared(&code[start..]) {
            continue;
        }
        let (mut depth, mut lines) = (0, 1);
        for c in code[start..].chars() {
            match c {
                '\n' => lines += 1,
                '{' => depth += 1,
                '}' => {
                    depth -= 1;
                    if depth == 0 {
                        found.push((name, lines));
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether the function that begins this code ends with `;` instead of a body. A `;` inside brackets is the
/// length of an array.
fn declared(code: &str) -> bool {
    let mut brackets = 0;
    for c in code.chars() {
        match c {
            '[' | '(' => brackets += 1,
            ']' | ')' => brackets -= 1,
            '{' => return false,
            ';' if brackets == 0 => return true,
            _ => {}
        }
    }
    false
}

#[test]
fn comments_and_literals_are_no_code() {
    let text = "a // b\n/* c */ d \"e\\\" f\" 'g' '\\n' r#\"h \" i\"# br\"j\" &'k l for_r\"m\"";
    let words = paths(&code(text));
    assert_eq!(words, ["a", "d", "b", "k", "l", "for_r"]);
    assert_eq!(code(text).lines().count(), text.lines().count());
}

#[test]
fn use_groups_are_expanded() {
    let code = "use crate::{time::{self, Span}, name::Name};\nfn f() { std::fs::read(x); g::<y::Z>() }";
    let found = paths(code);
    for path in ["crate::time::self", "crate::time::Span", "crate::name::Name", "std::fs::read", "y::Z", "x"]
    {
        assert!(found.iter().any(|own| own == path), "{path} in {found:?}");
    }
}

#[test]
fn functions_are_measured_from_name_to_brace() {
    let code = "trait T { fn a(x: [u8; 3]); }\nfn b() {\n  if c {\n  }\n}\nfn d() {}\nlet e: fn(u8) = f;";
    assert_eq!(functions(code), [("b".to_owned(), 4), ("d".to_owned(), 1)]);
}
