//! Twins: for each switch value that can break a lock, the same plan with it and with the value that holds.
//!
//! `scenarios/twins/switches.toml` lists them. The guilty one is the scenario `switch:NAME`, its innocent twin
//! `switch:NAME:twin`; they differ in the switch and in nothing else. Must not judge: a test does.

use super::error::{InputError, closest};
use super::explain::explain;
use super::parse::parse;
use super::preset::{DRILL, with_table};
use super::shipped::{shipped_drills, shipped_twins};
use super::{InputErrorKind, Scenario};
use crate::check::OracleName;
use serde::Deserialize;

/// What stands before the name of a twin where a scenario is named.
pub const SWITCH: &str = "switch";

/// What stands behind the name of the innocent one.
const INNOCENT: &str = "twin";

/// Two locks under one plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Twin {
    /// Its name.
    pub name: String,
    /// The switch and its value, as a lock table says them.
    pub switch: String,
    /// What it breaks, and what is whole without it.
    pub breaks: Broken,
    /// What it shows.
    pub claim: String,
    /// Where it comes from.
    pub source: Vec<String>,
    /// The drill whose plan it is.
    pub drill: String,
    table: String,
    guilty: toml::Table,
    innocent: toml::Table,
}

/// What a switch breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// This oracle is violated, and held without the switch.
    Oracle(OracleName),
    /// There are only so many grants, and more without the switch.
    Grants(u64),
}

/// A name that no twin has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no switch is called `{name}`; `list --features` shows them")]
pub struct UnknownTwin {
    /// The name.
    pub name: String,
    /// The name that was probably meant.
    pub suggestion: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TwinsFile {
    #[expect(dead_code, reason = "the format of a shipped file is the format of this version")]
    format: i64,
    twin: Vec<TwinTable>,
}

/// `[[twin]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TwinTable {
    name: String,
    /// The word after `lock.`.
    lock: String,
    /// The guilty keys.
    with: toml::Table,
    /// Keys of both.
    #[serde(default)]
    also: toml::Table,
    /// What the innocent one says instead; the specification's value if it says nothing.
    #[serde(default)]
    instead: toml::Table,
    drill: String,
    breaks: Option<OracleName>,
    grants: Option<u64>,
    claim: String,
    source: Vec<String>,
}

/// All twins, in the order of their file.
///
/// # Panics
/// If the shipped file cannot be read; a test reads it.
pub fn twins() -> Vec<Twin> {
    let text = shipped_twins();
    let file: TwinsFile = toml::from_str(text)
        .unwrap_or_else(|error| panic!("{}", explain(&error, text).in_file("twins", text)));
    file.twin.into_iter().map(Twin::of).collect()
}

/// The scenario that `switch:NAME` or `switch:NAME:twin` means, without the word before the first colon.
///
/// # Errors
/// No twin has this name.
///
/// # Panics
/// If a shipped twin cannot be read; a test reads them all.
pub fn twin_scenario(name: &str) -> Result<Scenario, UnknownTwin> {
    let (name, innocent) = match name.rsplit_once(':') {
        Some((name, INNOCENT)) => (name, true),
        Some(_) | None => (name, false),
    };
    let all = twins();
    let Some(twin) = all.iter().find(|twin| twin.name == name) else {
        let suggestion = closest(name, all.iter().map(|twin| twin.name.as_str()));
        return Err(UnknownTwin { name: name.to_owned(), suggestion });
    };
    let scenario = if innocent { twin.innocent() } else { twin.guilty() };
    Ok(scenario.unwrap_or_else(|error| panic!("shipped twin {name}: {error}")))
}

impl Twin {
    fn of(table: TwinTable) -> Self {
        let TwinTable { name, lock, with, also, instead, drill, breaks, grants, claim, source } = table;
        let breaks = match (breaks, grants) {
            (Some(oracle), None) => Broken::Oracle(oracle),
            (None, Some(grants)) => Broken::Grants(grants),
            (Some(_), Some(_)) | (None, None) => panic!("twin {name}: either `breaks` or `grants`"),
        };
        let switch: Vec<String> = with.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        let whole = |own: toml::Table| {
            let mut keys = toml::Table::new();
            keys.insert("like".to_owned(), "spec".into());
            keys.insert("ttl_ms".to_owned(), 10_000.into());
            keys.insert("unsound".to_owned(), true.into());
            keys.extend(also.clone());
            keys.extend(own);
            if keys.get("ttl").is_some() {
                keys.remove("ttl_ms");
            }
            keys
        };
        let (guilty, innocent) = (whole(with), whole(instead));
        Self { name, switch: switch.join(", "), breaks, claim, source, drill, table: lock, guilty, innocent }
    }

    /// The lock with the switch.
    ///
    /// # Errors
    /// The drill does not fit it.
    pub fn guilty(&self) -> Result<Scenario, InputError> {
        self.under(&self.guilty, format!("{SWITCH}:{}", self.name))
    }

    /// The lock without it.
    ///
    /// # Errors
    /// The drill does not fit it.
    pub fn innocent(&self) -> Result<Scenario, InputError> {
        self.under(&self.innocent, format!("{SWITCH}:{}:{INNOCENT}", self.name))
    }

    fn under(&self, lock: &toml::Table, origin: String) -> Result<Scenario, InputError> {
        let text = shipped_drills().find(|(name, _)| *name == self.drill).map(|(_, text)| text);
        let Some(text) = text else {
            return Err(InputError {
                kind: InputErrorKind::Name,
                file: origin,
                line: 1,
                column: 1,
                span: 0..0,
                message: format!("no drill is called `{}`", self.drill),
                suggestion: closest(&self.drill, shipped_drills().map(|(name, _)| name)),
            });
        };
        let drill = parse(&format!("{DRILL}:{}", self.drill), text)?;
        let fresh = with_table(&drill, &self.table, lock.clone(), &origin)?;
        let (name, claim, source) = (origin.clone(), self.claim.clone(), self.source.clone());
        Ok(Scenario { name, claim, source, origin, ..fresh })
    }
}
