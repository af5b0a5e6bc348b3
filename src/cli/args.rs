//! What can be asked of the command line.
//!
//! Help texts and README say the same. Must not do anything.

use clap::{Parser, Subcommand, ValueEnum};

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
    /// Lists the shipped scenarios with their claims, and the protocols with what they promise
    List(ListArgs),
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct RunArgs {
    /// A scenario file (its path contains `/` or `.toml`) or the name of a shipped scenario
    #[arg(value_name = "FILE|NAME")]
    pub(super) scenario: String,
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
pub(super) struct ListArgs {
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
