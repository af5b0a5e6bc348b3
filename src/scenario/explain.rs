//! Serde's and TOML's complaints in our words, with what was probably meant.
//!
//! Serde names the expected keys and words in its message; nothing here keeps a second list of them.

use super::error::{InputErrorKind, Wrong, closest};

/// What `error` says, at the place it says.
pub(crate) fn explain(error: &toml::de::Error, text: &str) -> Wrong {
    let said = error.message().trim_end();
    let span = error.span().unwrap_or(text.len()..text.len());
    let names = quoted(said);
    let (first, known) = (names.first().copied(), names.get(1..).unwrap_or_default());
    match first {
        Some(name) if said.starts_with("unknown field") => unknown_key(name, known, span),
        // An externally tagged enum is a key in the file, its words are quoted strings.
        Some(name) if said.starts_with("unknown variant") => match text.get(span.clone()) {
            Some(written) if written.starts_with(['"', '\'']) => unknown_word(name, known, span),
            Some(_) | None => unknown_key(name, known, span),
        },
        Some(name) if said.starts_with("missing field") => {
            Wrong::new(InputErrorKind::MissingKey, span, format!("missing key `{name}`"))
        }
        Some(name) if said.starts_with("duplicate") => {
            Wrong::new(InputErrorKind::Syntax, span, format!("`{name}` is set twice"))
        }
        // Serde's words for a value that TOML can write and the key cannot take.
        Some(_) | None if said.starts_with("invalid type") || said.starts_with("invalid value") => {
            wrong_type(said, span)
        }
        Some(_) | None if said.starts_with("invalid") => Wrong::new(InputErrorKind::Syntax, span, said),
        Some(_) | None if said == "wanted string or table" => {
            Wrong::new(InputErrorKind::Value, span, "one word in quotes is wanted here")
        }
        Some(_) | None if said.contains("wanted exactly 1 element") => Wrong::new(
            InputErrorKind::Contradiction,
            span,
            "exactly one entry is wanted here (one protocol, one workload, one fault for each [[plan]])",
        ),
        Some(_) | None => Wrong::new(InputErrorKind::Syntax, span, said),
    }
}

fn unknown_key(name: &str, known: &[&str], span: std::ops::Range<usize>) -> Wrong {
    let message = match known {
        [] => format!("unknown key `{name}`; no key is known here"),
        _ => format!("unknown key `{name}`; known here: {}", known.join(", ")),
    };
    // A key without its unit, or with another, is the usual slip, and further away than a typing error.
    let stem = |key: &str| {
        let mut units = ["_ms", "_us", "_ppm", "_ticks"].into_iter();
        units.find_map(|unit| key.strip_suffix(unit)).unwrap_or(key).to_owned()
    };
    let meant = known.iter().find(|key| stem(key) == stem(name)).map(|key| (*key).to_owned());
    Wrong::new(InputErrorKind::UnknownKey, span, message)
        .maybe_meant(meant.or_else(|| closest(name, known.iter().copied())))
}

/// Numbers are whole everywhere; `ttl` is the one key that people expect to take a number and that does not.
fn wrong_type(said: &str, span: std::ops::Range<usize>) -> Wrong {
    let message = said.replace("expected i64", "expected a whole number").replace(" as i128", "");
    // A table is a table to whoever writes it, whatever we call its type.
    let message = match message.split_once("expected struct ") {
        Some((found, _)) => format!("{found}expected a table"),
        None => message,
    };
    let meant = quoted(said).into_iter().find(|word| *word == "ttl_ms").map(str::to_owned);
    Wrong::new(InputErrorKind::Value, span, message).maybe_meant(meant)
}

fn unknown_word(name: &str, known: &[&str], span: std::ops::Range<usize>) -> Wrong {
    let message = format!("`{name}` is not known here; known: {}", known.join(", "));
    Wrong::new(InputErrorKind::Value, span, message).maybe_meant(closest(name, known.iter().copied()))
}

/// The words between backticks.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}
