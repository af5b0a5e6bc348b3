//! Names and paths to scenarios, profiles, tables of comparison and models.
//!
//! The only place that reads input files.

use super::failure::Failure;
use super::pin::Place;
use crate::plan::Profile;
use crate::prove::{Model, ModelLocator, find_model, parse_model, shipped_models};
use crate::scenario::{
    COMPARE, Comparison, InputError, Locator, Preset, SWITCH, Scenario, find, find_profile, parse,
    parse_comparison, parse_profile, preset, shipped_comparison, twin_scenario, with_lock,
};
use std::fs;
use std::path::Path;

/// Reads a scenario as [`load`] does, and puts the lock of a preset into it if one is named.
pub(super) fn load_like(name_or_path: &str, like: Option<&String>) -> Result<Scenario, Failure> {
    let scenario = load(name_or_path)?;
    let Some(like) = like else { return Ok(scenario) };
    let preset = named_preset(like)?;
    with_lock(&scenario, &preset).map_err(|error| Failure::NoSuch {
        kind: "unfit-preset",
        name: like.clone(),
        message: format!("{} cannot be run with the lock of {like}: {}", scenario.origin, error.message),
        suggestion: None,
    })
}

/// The preset of this name.
pub(super) fn named_preset(name: &str) -> Result<Preset, Failure> {
    preset(name).map_err(|unknown| Failure::NoSuch {
        kind: "unknown-preset",
        message: unknown.to_string(),
        name: unknown.name,
        suggestion: unknown.suggestion,
    })
}

/// Reads the scenario that a name, a path, or a row of a table means.
pub(super) fn load(name_or_path: &str) -> Result<Scenario, Failure> {
    let (origin, text) = match find(name_or_path).map_err(Failure::Unknown)? {
        Locator::Shipped { text, .. } => (name_or_path.to_owned(), text.to_owned()),
        Locator::Path(path) => (path.clone(), read(path)?),
        Locator::Switch(name) => {
            return twin_scenario(&name).map_err(|unknown| Failure::NoSuch {
                kind: "unknown-switch",
                message: unknown.to_string(),
                name: unknown.name,
                suggestion: unknown.suggestion.map(|meant| format!("{SWITCH}:{meant}")),
            });
        }
        Locator::Row { table, row } => {
            let table = comparison(Some(&table).filter(|table| *table != COMPARE))?;
            return match table.row(&row) {
                Ok(found) => Ok(found.scenario.clone()),
                Err(unknown) => Err(Failure::NoSuch {
                    kind: "unknown-row",
                    message: unknown.to_string(),
                    suggestion: unknown.suggestion.map(|meant| format!("{}:{meant}", unknown.origin)),
                    name: row,
                }),
            };
        }
    };
    parse(&origin, &text).map_err(|error| at(error, text))
}

/// Reads the profile that a name or a path means.
pub(super) fn profile(name_or_path: &str) -> Result<Profile, Failure> {
    let (origin, text) = match find_profile(name_or_path) {
        Ok(Locator::Shipped { name, text }) => (name.to_owned(), text.to_owned()),
        Ok(Locator::Path(path) | Locator::Switch(path) | Locator::Row { table: path, .. }) => {
            (path.clone(), read(path)?)
        }
        Err(unknown) => {
            return Err(Failure::NoSuch {
                kind: "unknown-profile",
                message: unknown.to_string(),
                name: unknown.name,
                suggestion: unknown.suggestion,
            });
        }
    };
    parse_profile(&origin, &text).map_err(|error| at(error, text))
}

/// Reads a table of comparison; without a path the shipped one. Profiles that are paths lie beside it.
pub(super) fn comparison(path: Option<&String>) -> Result<Comparison, Failure> {
    let (origin, text) = match path {
        None => (COMPARE.to_owned(), shipped_comparison().to_owned()),
        Some(path) => (path.clone(), read(path.clone())?),
    };
    let folder = Path::new(&origin).parent().unwrap_or(Path::new("")).to_path_buf();
    let mut open = |profile: &str| fs::read_to_string(folder.join(profile));
    parse_comparison(&origin, &text, &mut open).map_err(|error| at(error, text))
}

/// A model, and where its file is.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    /// The model.
    pub(super) model: Model,
    /// Its file.
    pub(super) place: Place,
}

/// Reads the models that names, paths and folders mean; all that are shipped if there are none.
pub(super) fn models(names: &[String]) -> Result<Vec<Loaded>, Failure> {
    let mut all = Vec::new();
    if names.is_empty() {
        for (name, text) in shipped_models() {
            all.push(shipped_model(name, text)?);
        }
    }
    for name in names {
        match find_model(name) {
            Ok(ModelLocator::Shipped { name, text }) => all.push(shipped_model(name, text)?),
            Ok(ModelLocator::Path(path)) if !Path::new(&path).is_dir() => all.push(model_file(path)?),
            Ok(ModelLocator::Path(_)) | Err(_) if Path::new(name).is_dir() => all.extend(model_folder(name)?),
            Ok(ModelLocator::Path(path)) => all.push(model_file(path)?),
            Err(unknown) => {
                return Err(Failure::NoSuch {
                    kind: "unknown-model",
                    message: unknown.to_string(),
                    name: unknown.name,
                    suggestion: unknown.suggestion,
                });
            }
        }
    }
    Ok(all)
}

fn shipped_model(name: &str, text: &str) -> Result<Loaded, Failure> {
    let model = parse_model(name, text).map_err(|error| at(error, text.to_owned()))?;
    Ok(Loaded { model, place: Place::Shipped })
}

fn model_file(path: String) -> Result<Loaded, Failure> {
    let text = read(path.clone())?;
    let model = parse_model(&path, &text).map_err(|error| at(error, text))?;
    Ok(Loaded { model, place: Place::Path(path) })
}

/// All models directly in a folder, by name.
fn model_folder(folder: &str) -> Result<Vec<Loaded>, Failure> {
    let unreadable = |error| Failure::Unreadable { path: folder.to_owned(), error };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") && path.is_file() {
            paths.push(path.to_string_lossy().into_owned());
        }
    }
    if paths.is_empty() {
        return Err(Failure::NoSuch {
            kind: "no-models",
            name: folder.to_owned(),
            message: format!("there is no model in {folder}: models are .toml files"),
            suggestion: None,
        });
    }
    paths.sort_unstable();
    paths.into_iter().map(model_file).collect()
}

fn read(path: String) -> Result<String, Failure> {
    fs::read_to_string(&path).map_err(|error| Failure::Unreadable { path, error })
}

fn at(error: InputError, text: String) -> Failure {
    Failure::File { error: Box::new(error), text }
}
