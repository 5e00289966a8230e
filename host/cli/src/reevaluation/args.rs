//! The arguments of `replay`.

use std::path::PathBuf;

use adjudicate_core::{Error, Operation};
use adjudicate_host::reevaluation::Expectation;
use clap::Args;

use crate::{
    codes,
    input::Source,
    known_engine::KnownEngine,
    options::{layouts, one_stdin, usage_error},
    output::{Color, Format},
    records::TimeRange,
    store_location::StoreLocation,
};

/// Decide recorded calls again by another policy, and report the changes.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Calls or exported records, one per line; `-` for standard input
    ///
    /// By default, the command reads the records of the slot.
    #[arg(value_name = "FILE", required_unless_present = "slot")]
    pub(crate) input: Option<Source>,
    /// The slot whose records are decided again
    #[arg(long, value_name = "SLOT", conflicts_with = "input")]
    pub(crate) slot: Option<String>,
    #[command(flatten)]
    pub(crate) times: TimeRange,
    #[command(flatten)]
    pub(crate) version: NewVersion,
    /// Compare with this policy (or `.wasm` module), instead of the recorded answers
    ///
    /// For calls without a recorded answer, the default is the built-in engine.
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<Source>,
    /// The operation of calls that are not records
    #[arg(long, value_name = "OPERATION", default_value = "evaluate", value_parser = operation)]
    pub(crate) operation: Operation,
    /// Fail (status 1) at this change: `success->*`, `*->error`, or `changed` for any
    #[arg(long, value_name = "CHANGE")]
    pub(crate) fail_on: Vec<Expectation>,
    /// Fail if fewer cases than this could be decided again and compared
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) min_records: u64,
    /// The number of changed cases to show for each pair of statuses
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(..=1000))]
    pub(crate) samples: u16,
    /// The number of threads that decide [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Write the report as a self-contained HTML file
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// The format of the report
    #[arg(long, value_parser = layouts(), default_value = "table")]
    pub(crate) format: Format,
    /// When to use colors in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
    /// Hide the progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
    #[command(flatten)]
    pub(crate) location: StoreLocation,
}

/// The version that decides again: at most one of these options. By default each record is decided by its own version, and every
/// byte must be the same.
#[derive(Debug, Args)]
pub(crate) struct NewVersion {
    /// Decide by this module
    #[arg(long, value_name = "FILE", group = "after")]
    pub(crate) module: Option<PathBuf>,
    /// Decide by this module of the store: NAME@VERSION, or a digest or its beginning
    #[arg(long, value_name = "MODULE", group = "after")]
    pub(crate) installed: Option<String>,
    /// Decide by the built-in engine with this policy, instead of the policy of the call
    #[arg(long, value_name = "FILE", group = "after")]
    pub(crate) policy: Option<Source>,
    /// Decide by the active composition of this entry of the slot's history
    #[arg(long, value_name = "ENTRY", group = "after", requires = "slot")]
    pub(crate) entry: Option<i64>,
    /// Trust this engine: it runs without fuel and deadline, and its answers are not checked
    ///
    /// Name the engine by its digest or its file. With a file, modules that contain this engine and a policy are trusted,
    /// too.
    #[arg(long, value_name = "DIGEST|FILE")]
    pub(crate) known_engine: Vec<KnownEngine>,
    /// The fuel for each call of a module from a file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) fuel: Option<u64>,
}

impl Replay {
    /// Rejects arguments that do not fit together.
    pub(super) fn check(&self) -> Result<(), Error> {
        let sources =
            [("FILE", &self.input), ("--policy", &self.version.policy), ("--against", &self.against)];
        one_stdin(sources.iter().filter_map(|(name, source)| Some((*name, source.as_ref()?))))?;
        let NewVersion { module, installed, policy, entry, .. } = &self.version;
        let is_named = module.is_some() || installed.is_some() || policy.is_some() || entry.is_some();
        if self.input.is_some() && !is_named {
            return usage_error(
                "missing the version that decides again: `--module`, `--installed` or `--policy`",
            );
        }
        if self.input.is_some() && (self.times.since.is_some() || self.times.until.is_some()) {
            return usage_error("`--since` and `--until` need `--slot`, and cannot be used with FILE");
        }
        if self.location.store.is_some() && self.slot.is_none() && installed.is_none() {
            return usage_error("`--store` needs `--slot` or `--installed`");
        }
        let is_against_module = self.against.as_ref().is_some_and(|source| source.module().is_some());
        if self.version.fuel.is_some() && module.is_none() && !is_against_module {
            return usage_error("`--fuel` needs a module from a file, for example `--module FILE`");
        }
        if !self.version.known_engine.is_empty() && policy.is_some() && !is_against_module {
            return usage_error("`--known-engine` needs a module, for example `--module FILE`");
        }
        if !is_named && self.against.is_some() {
            return usage_error(
                "`--against` needs another version to decide: `--module`, `--installed`, `--policy` or `--entry`",
            );
        }
        Ok(())
    }
}

fn operation(text: &str) -> Result<Operation, Error> {
    Operation::from_name(&text.replace('-', "_")).ok_or_else(|| {
        Error::new(codes::WRONG_USAGE, format!("expected an operation such as `evaluate`, found `{text}`"))
    })
}
