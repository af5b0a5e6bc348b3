//! The door: text in, scenario or the place of the first mistake out.

use super::explain::explain;
use super::read::{self, Read, read};
use super::shape::{File, ProfileFile};
use super::{InputError, Runner, Scenario};
use crate::plan::Profile;

/// Reads a scenario. `origin` is the path it came from or its shipped name; its last part names the scenario.
///
/// # Errors
/// The first thing wrong with the text.
pub fn parse(origin: &str, text: &str) -> Result<Scenario, InputError> {
    let file: File = toml::from_str(text).map_err(|error| explain(&error, text).in_file(origin, text))?;
    let read = read(file).map_err(|wrong| wrong.in_file(origin, text))?;
    let Read { title, claim, source, seed, setup, latency, links, expect } = read;
    Ok(Scenario {
        name: name_of(origin),
        title,
        claim,
        source,
        seed,
        setup,
        latency,
        links,
        expect,
        like: None,
        drawn: None,
        text: text.to_owned(),
        origin: origin.to_owned(),
        runner: Runner::Shipped,
    })
}

/// The name of what is in a file: that of the file without folder and ending.
pub(crate) fn name_of(origin: &str) -> String {
    let file_name = origin.rsplit('/').next().unwrap_or(origin);
    file_name.strip_suffix(".toml").filter(|name| !name.is_empty()).unwrap_or(file_name).to_owned()
}

/// Reads a profile of faults. `origin` is the path it came from or its shipped name.
///
/// # Errors
/// The first thing wrong with the text.
pub fn parse_profile(origin: &str, text: &str) -> Result<Profile, InputError> {
    let file: ProfileFile =
        toml::from_str(text).map_err(|error| explain(&error, text).in_file(origin, text))?;
    read::profile(file).map_err(|wrong| wrong.in_file(origin, text))
}
