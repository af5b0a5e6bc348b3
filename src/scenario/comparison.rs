//! Tables of comparison: rows of locks and deployments, columns of fault profiles, one workload.
//!
//! Read through the same shapes as scenarios, so whatever is wrong with a row is told at its place in this file.
//! Each row is also a scenario of its own, with a text that runs without the table. Must not open files: profiles
//! that are paths are read by whoever stands at the edge.

use super::error::{InputErrorKind, Wrong, closest};
use super::explain::explain;
use super::read::{named, ranged_count, read};
use super::shape::{ColumnTable, ComparisonFile, Lack};
use super::shipped::{Locator, find_profile};
use super::{InputError, Scenario, parse, parse_profile};
use crate::plan::Profile;
use std::io;
use toml::Spanned;

/// Rows times columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// One line.
    pub title: String,
    /// One sentence: what it shows.
    pub claim: String,
    /// Runs per cell.
    pub runs: u64,
    /// The seed of the first run of every cell.
    pub seed: u64,
    /// The locks.
    pub rows: Vec<Row>,
    /// The faults.
    pub columns: Vec<Column>,
    /// The path of the file, or the name of the shipped table.
    pub origin: String,
}

/// A lock and its deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// One line.
    pub title: String,
    /// The row as a scenario of its own.
    pub scenario: Scenario,
}

/// A profile of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// One line.
    pub title: String,
    /// How the profile is written on a command line.
    pub address: String,
    /// The faults.
    pub profile: Profile,
}

/// A name that no row of a table has.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("{origin} has no row `{name}`")]
pub struct UnknownRow {
    /// The name.
    pub name: String,
    /// Of which table.
    pub origin: String,
    /// The row that was probably meant.
    pub suggestion: Option<String>,
}

impl Comparison {
    /// The row of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn row(&self, name: &str) -> Result<&Row, UnknownRow> {
        self.rows.iter().find(|row| row.name == name).ok_or_else(|| UnknownRow {
            name: name.to_owned(),
            origin: self.origin.clone(),
            suggestion: closest(name, self.rows.iter().map(|row| row.name.as_str())),
        })
    }
}

/// Reads a table. `origin` is the path it came from or its shipped name; `open` reads a profile that is a path.
///
/// # Errors
/// The first thing wrong with the text, or with a profile that it names, told at the place that names it.
pub fn parse_comparison(
    origin: &str,
    text: &str,
    open: &mut dyn FnMut(&str) -> io::Result<String>,
) -> Result<Comparison, InputError> {
    let fresh = || toml::from_str(text).map_err(|error| explain(&error, text));
    let mut read = || -> Result<Comparison, Wrong> {
        let file: ComparisonFile = fresh()?;
        let whole: toml::Table = text.parse().expect("it was just read");
        let columns = columns(&file, open)?;
        let rows = rows(&file, fresh, (origin, &whole))?;
        let seed = rows.first().map_or(0, |row| row.scenario.seed);
        let runs = ranged_count(&file.runs, "runs")?;
        let (title, claim) = (file.title.into_inner(), file.claim.into_inner());
        Ok(Comparison { title, claim, runs, seed, rows, columns, origin: origin.to_owned() })
    };
    read().map_err(|wrong| wrong.in_file(origin, text))
}

fn rows(
    file: &ComparisonFile,
    fresh: impl Fn() -> Result<ComparisonFile, Wrong>,
    (origin, whole): (&str, &toml::Table),
) -> Result<Vec<Row>, Wrong> {
    let mut rows: Vec<Row> = Vec::new();
    for (index, row) in file.row.iter().enumerate() {
        let (span, row) = (row.span(), row.get_ref());
        let name = named(&row.name, "name")?;
        if rows.iter().any(|before| before.name == name) {
            return Err(Wrong::contradiction(row.name.span(), format!("there is already a row `{name}`")));
        }
        let merged = fresh()?.into_row(index).map_err(|lack| {
            let table = match lack {
                Lack::Deployment => "[deployment]",
                Lack::Lock => "[lock.single], [lock.redlock] or [lock.none]",
            };
            let message = format!("row `{name}` has no {table}, and the base has none either");
            Wrong::new(InputErrorKind::MissingKey, span, message)
        })?;
        read(merged)?;
        let text = standalone(origin, index, whole);
        let scenario = parse(&format!("{origin}:{name}"), &text)
            .expect("what was read as part of the table can be read by itself");
        rows.push(Row { name, title: row.title.get_ref().clone(), scenario });
    }
    if rows.is_empty() {
        return Err(Wrong::contradiction(file.runs.span(), "a table needs at least one [[row]]"));
    }
    Ok(rows)
}

/// The text of a row as a scenario of its own.
fn standalone(origin: &str, index: usize, whole: &toml::Table) -> String {
    let mut scenario = whole.clone();
    let list = |table: &mut toml::Table, key: &str| match table.remove(key) {
        Some(toml::Value::Array(list)) => list,
        Some(_) | None => Vec::new(),
    };
    let row = list(&mut scenario, "row").swap_remove(index);
    list(&mut scenario, "column");
    scenario.remove("runs");
    let toml::Value::Table(mut row) = row else { unreachable!("it was read as a table") };
    let name = row.remove("name");
    let name = name.as_ref().and_then(toml::Value::as_str).unwrap_or_default().to_owned();
    scenario.extend(row);
    let body = toml::to_string(&scenario).expect("what came from TOML can be written as TOML");
    format!("# Row {name} of the table {origin}, as a scenario of its own.\n\n{body}")
}

fn columns(
    file: &ComparisonFile,
    open: &mut dyn FnMut(&str) -> io::Result<String>,
) -> Result<Vec<Column>, Wrong> {
    let mut columns: Vec<Column> = Vec::new();
    for table in &file.column {
        let table = table.get_ref();
        let profile = profile(&table.profile, open)?;
        let ColumnTable { name, title, profile: address } = table;
        let written = name.as_ref().map(|name| named(name, "name")).transpose()?;
        let column = Column {
            name: written.unwrap_or_else(|| profile.name.clone()),
            title: title.as_ref().map_or_else(|| profile.title.clone(), |title| title.get_ref().clone()),
            address: address.get_ref().clone(),
            profile,
        };
        if columns.iter().any(|before| before.name == column.name) {
            let place = name.as_ref().unwrap_or(address).span();
            return Err(Wrong::contradiction(place, format!("there is already a column `{}`", column.name)));
        }
        columns.push(column);
    }
    if columns.is_empty() {
        return Err(Wrong::contradiction(file.runs.span(), "a table needs at least one [[column]]"));
    }
    Ok(columns)
}

fn profile(
    address: &Spanned<String>,
    open: &mut dyn FnMut(&str) -> io::Result<String>,
) -> Result<Profile, Wrong> {
    let wrong = |message: String| Wrong::new(InputErrorKind::Name, address.span(), message);
    match find_profile(address.get_ref()) {
        Ok(Locator::Shipped { name, text }) => parse_profile(name, text).map_err(|e| wrong(e.to_string())),
        Ok(Locator::Path(path)) => {
            let text = open(&path).map_err(|error| wrong(format!("failed to read {path}: {error}")))?;
            parse_profile(&path, &text).map_err(|error| wrong(error.to_string()))
        }
        Ok(Locator::Row { .. } | Locator::Switch(_)) => Err(wrong("a row is no profile".to_owned())),
        Err(unknown) => Err(wrong(unknown.to_string()).maybe_meant(unknown.suggestion)),
    }
}
