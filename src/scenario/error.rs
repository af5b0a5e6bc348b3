//! What is wrong with an input file, and where: machine readable, rendered by whoever shows it.
//!
//! Inside this module errors are [`Wrong`], which knows its span only; [`parse`](super::parse()) adds file, line
//! and column.

use std::ops::Range;

/// A scenario, a model or another input file that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct InputError {
    /// What sort of mistake it is.
    pub kind: InputErrorKind,
    /// The file's path, or the name of a shipped one.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The bytes of the text that are wrong; empty where something is missing.
    #[serde(skip)]
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

/// Sorts of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputErrorKind {
    /// No TOML.
    Syntax,
    /// A key that means nothing here.
    UnknownKey,
    /// A key that is needed here.
    MissingKey,
    /// A value of the wrong type, or not one of the known words.
    Value,
    /// A number outside its range.
    Range,
    /// A name of a process, message or point that does not exist.
    Name,
    /// Two keys that contradict each other.
    Contradiction,
    /// A lock policy that cannot be run, or that is unsound without saying so.
    Policy,
}

/// A mistake and its span.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) kind: InputErrorKind,
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) suggestion: Option<String>,
}

impl Wrong {
    pub(crate) fn new(kind: InputErrorKind, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { kind, span, message: message.into(), suggestion: None }
    }

    /// Two keys contradict each other; the span is the one to change.
    pub(crate) fn contradiction(span: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(InputErrorKind::Contradiction, span, message)
    }

    pub(crate) fn meant(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    pub(crate) fn maybe_meant(mut self, suggestion: Option<String>) -> Self {
        self.suggestion = suggestion;
        self
    }

    /// The error with its place in `text`.
    pub(crate) fn in_file(self, file: &str, text: &str) -> InputError {
        let start = boundary_at(text, self.span.start);
        let end = boundary_at(text, self.span.end).max(start);
        // Something missing at the very end belongs to the last line that has text, if it has a line break.
        let start = if start == text.len() && start > 0 { text.trim_end().len() } else { start };
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        InputError {
            kind: self.kind,
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            span: start..end,
            message: self.message,
            suggestion: self.suggestion,
        }
    }
}

/// The closest of `known` to `text`, if it is close enough to have been meant.
pub(crate) fn closest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let distances = known.into_iter().map(|name| (strsim::damerau_levenshtein(text, name), name));
    let (distance, name) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance > 0 && distance <= 1 + text.chars().count() / 3).then(|| name.to_owned())
}

fn boundary_at(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}
