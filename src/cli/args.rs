//! What can be asked of the command line.
//!
//! Help texts and README say the same. Must not do anything.

use crate::check::OracleName;
use crate::report::Length;
use crate::sim::{RUNS_MAX, Seeds};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::str::FromStr;

/// Deterministic simulation and verification of Redis distributed locks.
#[derive(Clone, Debug, Parser)]
#[command(name = "fencepost", version, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 held or as expected, 1 violated or opposite, 2 inconclusive, 3 nondeterminism,\n\
                        64 usage or bad input, 70 a bug of fencepost, 74 results could not be written."
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) verb: Verb,
}

#[derive(Clone, Debug, Subcommand)]
pub(super) enum Verb {
    /// Runs one scenario and explains its verdict
    Run(RunArgs),
    /// Runs one scenario under many seeds, in parallel, and states a rate per oracle
    Hunt(HuntArgs),
    /// Compares locks and deployments under profiles of faults: Redlock against a single node
    Compare(CompareArgs),
    /// Exhausts models: every schedule of a small scope, and what it says of each oracle
    Prove(ProveArgs),
    /// Runs a kept failure again and compares it with what was kept; or a scenario, as `run` does
    Replay(ReplayArgs),
    /// Finds the smallest schedule that violates the same oracle and keeps it as a folder
    Shrink(ShrinkArgs),
    /// Lists the shipped scenarios with their claims, and the protocols with what they promise
    List(ListArgs),
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct RunArgs {
    /// A scenario file (its path contains `/` or `.toml`) or the name of a shipped scenario
    #[arg(value_name = "FILE|NAME")]
    pub(super) scenario: String,
    /// A preset whose lock takes the place of the scenario's: `list --features` shows them
    #[arg(long, value_name = "PRESET")]
    pub(super) like: Option<String>,
    /// A profile of faults that the seed draws a plan from: a file, or the name of a shipped one
    #[arg(long, value_name = "FILE|NAME")]
    pub(super) profile: Option<String>,
    /// Only some of the hazards of the profile, chosen by the seed
    #[arg(long, requires = "profile")]
    pub(super) swarm: bool,
    /// Seed of latencies, jitter and nonces instead of the file's, below 2^53
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    pub(super) seed: Option<u64>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// How much of the run the text shows
    #[arg(long, value_enum, default_value_t = Timeline::Short)]
    pub(super) timeline: Timeline,
    /// Explains the columns and marks of the text first
    #[arg(long)]
    pub(super) legend: bool,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct HuntArgs {
    /// A scenario file (its path contains `/` or `.toml`) or the name of a shipped scenario
    #[arg(value_name = "FILE|NAME")]
    pub(super) scenario: String,
    /// A preset whose lock takes the place of the scenario's: `list --features` shows them
    #[arg(long, value_name = "PRESET")]
    pub(super) like: Option<String>,
    /// A profile of faults that every seed draws a plan from: a file, or the name of a shipped one
    #[arg(long, value_name = "FILE|NAME")]
    pub(super) profile: Option<String>,
    /// For each seed only some of the hazards of the profile: finds more, and has no rates
    #[arg(long, requires = "profile")]
    pub(super) swarm: bool,
    /// Seeds from A on, below B, instead of the file's
    #[arg(long, value_name = "A..B", default_value = "0..1000", value_parser = Seeds::from_str)]
    pub(super) seeds: Seeds,
    /// Threads, up to 1024; all processors without it. Changes nothing of the result
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// Ends after so many seconds with the seeds that are complete
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) time_limit: Option<u64>,
    /// Ends with the seed that brings the K-th violating run
    #[arg(long, value_name = "K")]
    pub(super) until_violations: Option<NonZeroU64>,
    /// The oracle whose violations `--until-violations` counts; any judged one without it
    #[arg(long, value_name = "NAME", requires = "until_violations", value_parser = oracle())]
    pub(super) oracle: Option<OracleName>,
    /// How many failures to keep per oracle
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) keep: usize,
    /// Where failures are kept, a folder for each
    #[arg(long, value_name = "DIR", default_value = FAILURES)]
    pub(super) failures: String,
    /// Keeps no folders
    #[arg(long, conflicts_with = "failures")]
    pub(super) no_folders: bool,
    /// Does not look for the smallest schedule behind the first failure of each oracle
    #[arg(long)]
    pub(super) no_shrink: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

/// Where failures are kept unless somebody says otherwise.
const FAILURES: &str = "failures";

/// An address that nobody can reach from elsewhere.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text.parse().map_err(|_| "an address is like 127.0.0.1:3000".to_owned())?;
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err("only this machine itself is served: 127.0.0.1 or [::1]".to_owned())
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct ProveArgs {
    /// Names of shipped models, model files (their paths contain `/` or `.toml`) or folders of them; all shipped
    /// models in a line each without any
    #[arg(value_name = "MODEL")]
    pub(super) models: Vec<String>,
    /// Under which sets of faults a lock is safe: the name of a shipped lock, a model file, or `all`, which also writes
    /// the report
    #[arg(long, value_name = "LOCK|FILE|all", conflicts_with_all = ["models", "pin"])]
    pub(super) assumptions: Option<String>,
    /// Threads, up to 1024; all processors without it. Changes nothing of the result
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    /// Ends after so many seconds with what is known so far
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) max_seconds: Option<u64>,
    /// The most states of one search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_states: Option<u32>,
    /// The most memory of one search in megabytes, by estimate; without it three quarters of what is available
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) max_memory: Option<u64>,
    /// Writes the number of states of each model that is exhausted as expected into its file
    #[arg(long)]
    pub(super) pin: bool,
    /// Shows one model as a graph to walk through, in a browser, at this address of the machine itself; without
    /// an address at 127.0.0.1:3000
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:3000",
          value_parser = loopback, requires = "models",
          conflicts_with_all = ["max_seconds", "max_states", "max_memory", "pin", "failures", "no_folders", "format"])]
    pub(super) explorer: Option<SocketAddr>,
    /// Where counterexamples are kept, a folder for each
    #[arg(long, value_name = "DIR", default_value = FAILURES)]
    pub(super) failures: String,
    /// Keeps no folders
    #[arg(long, conflicts_with = "failures")]
    pub(super) no_folders: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct ReplayArgs {
    /// A folder that a hunt or a shrink kept, a scenario file, or the name of a shipped scenario
    #[arg(value_name = "FOLDER|FILE|NAME")]
    pub(super) what: String,
    /// Seed of a file's run instead of its own, below 2^53; a folder has its own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    pub(super) seed: Option<u64>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// How much of the run the text shows
    #[arg(long, value_enum, default_value_t = Timeline::Short)]
    pub(super) timeline: Timeline,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct ShrinkArgs {
    /// A folder that a hunt kept, a scenario file, or the name of a shipped scenario
    #[arg(value_name = "FOLDER|FILE|NAME")]
    pub(super) what: String,
    /// Seed of a file's run instead of its own, below 2^53; a folder has its own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    pub(super) seed: Option<u64>,
    /// The oracle that must stay violated; without it the folder's, or the judged one that is violated first
    #[arg(long, value_name = "NAME", value_parser = oracle())]
    pub(super) oracle: Option<OracleName>,
    /// The most runs that it may take
    #[arg(long, value_name = "N", default_value_t = RUNS_MAX)]
    pub(super) runs: u32,
    /// Where the result is kept, in a folder of its own
    #[arg(long, value_name = "DIR", default_value = FAILURES)]
    pub(super) failures: String,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct CompareArgs {
    /// A table of rows and columns instead of the shipped one
    #[arg(long, value_name = "FILE")]
    pub(super) file: Option<String>,
    /// Runs per cell instead of the file's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(super) runs: Option<u64>,
    /// Seed of the first run of every cell instead of the file's, below 2^53
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    pub(super) seed: Option<u64>,
    /// Threads, up to 1024; all processors without it. Changes nothing of the result
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// Only these rows, in the order of the file
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(super) rows: Vec<String>,
    /// Only these columns, in the order of the file
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(super) columns: Vec<String>,
    /// Two rows, plan by plan, with McNemar's exact test, instead of the whole table
    #[arg(long, value_name = "ROW,ROW", value_delimiter = ',', conflicts_with_all = ["rows", "out"])]
    pub(super) pair: Vec<String>,
    /// Locks of libraries and articles through fixed plans, each oracle with the smallest plan that breaks it, instead of
    /// the table: `all`, `articles`, or names of presets
    #[arg(long, value_name = "all|articles|PRESET,...", value_delimiter = ',',
          conflicts_with_all = ["file", "runs", "seed", "rows", "columns", "pair"])]
    pub(super) like: Option<Vec<String>>,
    /// Where `compare.md` and `compare.json` are written; without it `reports`, but only for the whole shipped table
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: Option<String>,
    /// How the result is written to stdout
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

/// The names of the oracles; clap suggests one that is close.
fn oracle() -> impl TypedValueParser<Value = OracleName> {
    let texts = OracleName::TEXTS.map(|(_, text)| text);
    PossibleValuesParser::new(texts).map(|text| {
        let named = OracleName::TEXTS.iter().find(|(_, known)| *known == text);
        named.map(|(oracle, _)| *oracle).expect("a text that was offered")
    })
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct ListArgs {
    /// The presets of libraries and articles with what each offers, and the switches that break a lock
    #[arg(long)]
    pub(super) features: bool,
    /// How the list is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For programs: one line with a schema number
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Timeline {
    /// At most 25 lines: what matters
    Short,
    /// Every record
    Full,
}

impl Timeline {
    /// As reports say it.
    pub(super) fn length(self) -> Length {
        match self {
            Self::Short => Length::Short,
            Self::Full => Length::Full,
        }
    }
}
