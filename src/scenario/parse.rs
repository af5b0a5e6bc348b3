//! The door: text in, scenario or the place of the first mistake out.

use super::explain::explain;
use super::read::{Read, read};
use super::shape::File;
use super::{InputError, Scenario};

/// Reads a scenario. `origin` is the path it came from or its shipped name; its last part names the scenario.
///
/// # Errors
/// The first thing wrong with the text.
pub fn parse(origin: &str, text: &str) -> Result<Scenario, InputError> {
    let file: File = toml::from_str(text).map_err(|error| explain(&error, text).in_file(origin, text))?;
    let read = read(file).map_err(|wrong| wrong.in_file(origin, text))?;
    let Read { title, claim, source, seed, setup, latency, expect, protocol } = read;
    let file_name = origin.rsplit('/').next().unwrap_or(origin);
    Ok(Scenario {
        name: file_name.strip_suffix(".toml").filter(|name| !name.is_empty()).unwrap_or(file_name).to_owned(),
        title,
        claim,
        source,
        seed,
        setup,
        latency,
        expect,
        protocol,
        text: text.to_owned(),
        origin: origin.to_owned(),
    })
}
