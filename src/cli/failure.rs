//! Input that cannot be run: shown with its file, line and place, or as a JSON object.
//!
//! Must not be used for verdicts or bugs.

use super::folder::FolderError;
use crate::check::OracleName;
use crate::report::SCHEMA;
use crate::scenario::{InputError, UnknownScenario};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde::Serialize;
use std::io;

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Failure {
    /// The file says something that cannot be run.
    File {
        /// What and where.
        error: Box<InputError>,
        /// The file's text.
        text: String,
    },
    /// No shipped scenario has this name.
    Unknown(UnknownScenario),
    /// Something else that has a name does not exist.
    NoSuch {
        /// What sort of thing, for a program.
        kind: &'static str,
        /// The name.
        name: String,
        /// What is wrong, with the name in it.
        message: String,
        /// What was probably meant.
        suggestion: Option<String>,
    },
    /// The oracle that was asked for cannot arise in the scenario.
    Inapplicable {
        /// The oracle.
        oracle: OracleName,
        /// The scenario's path or name.
        file: String,
    },
    /// A folder of a failure cannot be used.
    Folder {
        /// Its path.
        path: String,
        /// Why.
        error: FolderError,
    },
    /// The file cannot be read.
    Unreadable {
        /// Its path.
        path: String,
        /// Why.
        error: io::Error,
    },
}

/// Whether text for a terminal is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colours {
    /// It is.
    On,
    /// It is plain.
    Off,
}

impl Failure {
    /// For a person.
    pub(super) fn text(&self, colours: Colours) -> String {
        match self {
            Self::File { error, text } => snippet(error, text, colours),
            Self::Unknown(unknown) => match &unknown.suggestion {
                Some(name) => format!("error: {unknown}\nhelp: did you mean `{name}`? `list` shows all\n"),
                None => format!("error: {unknown}\nhelp: `list` shows all\n"),
            },
            Self::NoSuch { message, suggestion, .. } => {
                let help = suggestion.as_ref().map(|meant| format!("help: did you mean `{meant}`?\n"));
                format!("error: {message}\n{}", help.unwrap_or_default())
            }
            Self::Inapplicable { oracle, file } => format!("error: {}\n", inapplicable(*oracle, file)),
            Self::Folder { path, error } => format!("error: {path}: {error}\n"),
            Self::Unreadable { path, error } => format!("error: failed to read {path}: {error}\n"),
        }
    }

    /// For a program. What has no place in a file has neither line nor column.
    pub(super) fn json(&self) -> String {
        match self {
            Self::File { error, .. } => object(error),
            Self::Unknown(unknown) => object(&Placeless {
                kind: "unknown-scenario",
                file: &unknown.name,
                line: None,
                column: None,
                message: unknown.to_string(),
                suggestion: unknown.suggestion.as_deref(),
            }),
            Self::NoSuch { kind, name, message, suggestion } => object(&Placeless {
                kind,
                file: name,
                line: None,
                column: None,
                message: message.clone(),
                suggestion: suggestion.as_deref(),
            }),
            Self::Inapplicable { oracle, file } => object(&Placeless {
                kind: "inapplicable-oracle",
                file,
                line: None,
                column: None,
                message: inapplicable(*oracle, file),
                suggestion: None,
            }),
            Self::Folder { path, error } => object(&Placeless {
                kind: "folder",
                file: path,
                line: None,
                column: None,
                message: error.to_string(),
                suggestion: None,
            }),
            Self::Unreadable { path, error } => object(&Placeless {
                kind: "unreadable",
                file: path,
                line: None,
                column: None,
                message: error.to_string(),
                suggestion: None,
            }),
        }
    }
}

fn inapplicable(oracle: OracleName, file: &str) -> String {
    format!("{oracle} cannot arise in {file}: no number of its violations would ever be reached")
}

/// The fields of an [`InputError`] for what has no place in a file.
#[derive(Serialize)]
struct Placeless<'a> {
    kind: &'static str,
    file: &'a str,
    line: Option<usize>,
    column: Option<usize>,
    message: String,
    suggestion: Option<&'a str>,
}

fn object(error: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Object<'a, E> {
        schema: u32,
        error: &'a E,
    }
    let object = Object { schema: SCHEMA, error };
    format!("{}\n", serde_json::to_string(&object).expect("text and numbers are JSON"))
}

fn snippet(error: &InputError, text: &str, colours: Colours) -> String {
    let place = AnnotationKind::Primary.span(error.span.clone());
    let source = Snippet::source(text).path(&error.file).annotation(place);
    let mut group = Level::ERROR.primary_title(&error.message).element(source);
    let suggestion = error.suggestion.as_ref().map(|meant| format!("did you mean `{meant}`?"));
    if let Some(suggestion) = &suggestion {
        group = group.element(Level::HELP.message(suggestion));
    }
    let renderer = match colours {
        Colours::On => Renderer::styled(),
        Colours::Off => Renderer::plain(),
    };
    format!("{}\n", renderer.render(&[group]))
}
