//! A proof's count into the file of its model: whole or not at all, and never over what somebody else has written
//! since.
//!
//! Must not decide whether a count is worth pinning.

use super::failure::Failure;
use super::load::Loaded;
use crate::prove::{Model, Pinned, parse_model, pin};
use std::fs;
use std::io;
use std::path::Path;

/// Where the file of a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// There.
    Path(String),
    /// Inside the library; perhaps also in the folder of this repository.
    Shipped,
}

impl Place {
    /// The path to write to.
    fn path(&self, model: &Model) -> String {
        match self {
            Self::Path(path) => path.clone(),
            Self::Shipped => format!("models/{}.toml", model.name),
        }
    }
}

/// That the file of this model is there, with the text that will be proved.
pub(super) fn can_be_pinned(loaded: &Loaded) -> Result<(), Failure> {
    if loaded.model.own.is_some() && loaded.place == Place::Shipped {
        return Err(nowhere(&loaded.model.name, "its count is that of the lock that it names"));
    }
    let path = loaded.place.path(&loaded.model);
    match fs::read_to_string(&path) {
        Ok(text) if is_same(&text, &loaded.model.text) => Ok(()),
        Ok(_) => Err(nowhere(&loaded.model.name, &format!("{path} is another version of it"))),
        Err(error) => Err(nowhere(&loaded.model.name, &format!("failed to read {path}: {error}"))),
    }
}

/// Whether two texts differ in nothing but the count that is pinned: an earlier call may have written it.
fn is_same(one: &str, other: &str) -> bool {
    let any = Pinned { states: 1 };
    let is_model = |text: &str| parse_model("model.toml", text).is_ok();
    one == other || (is_model(one) && is_model(other) && pin(one, any) == pin(other, any))
}

fn nowhere(name: &str, why: &str) -> Failure {
    Failure::NoSuch {
        kind: "pin",
        name: name.to_owned(),
        message: format!("`{name}` cannot be pinned: {why}"),
        suggestion: None,
    }
}

/// Writes the count; returns the path.
pub(super) fn write(model: &Model, states: u64, place: &Place) -> io::Result<String> {
    let path = place.path(model);
    let text = pin(&model.text, Pinned { states });
    let beside = Path::new(&path).with_extension(format!("toml.{}", std::process::id()));
    let written = fs::write(&beside, text).and_then(|()| {
        if !is_same(&fs::read_to_string(&path)?, &model.text) {
            return Err(io::Error::other("somebody has changed the file meanwhile"));
        }
        fs::rename(&beside, &path)
    });
    if written.is_err() {
        // What could not be moved is of no use to anybody.
        let _ = fs::remove_file(&beside);
    }
    written.map(|()| path)
}
