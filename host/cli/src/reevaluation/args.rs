//! The arguments of `replay`.

use std::path::PathBuf;

use adjudicate_core::{Error, Operation};
use adjudicate_host::reevaluation::Expectation;
use clap::Args;

use crate::{
    cluster::ClusterPlace,
    codes, exit,
    input::Source,
    known_engine::KnownEngine,
    options::{layouts, one_stdin, wrong},
    output::{Color, Format},
    place::StorePlace,
    records::Times,
};

/// Decide recorded calls again by another version of a policy, and report the changes. With --nats the hosts of a cluster decide,
/// and the report is the same.
#[derive(Debug, Args)]
#[command(after_help = exit::REEVALUATION_HELP)]
pub(crate) struct Replay {
    /// Calls or exported records, one a line; `-` for standard input. By default, the records of the slot
    #[arg(value_name = "FILE", required_unless_present = "slot")]
    pub(crate) input: Option<Source>,
    /// The slot whose records are decided again
    #[arg(long, value_name = "SLOT", conflicts_with = "input")]
    pub(crate) slot: Option<String>,
    #[command(flatten)]
    pub(crate) times: Times,
    #[command(flatten)]
    pub(crate) version: After,
    /// The version to compare with: a policy document, or a module if it ends in .wasm. By default, the recorded answer, and the
    /// built-in engine for calls without a record
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<Source>,
    /// The operation of calls that are not records
    #[arg(long, value_name = "OPERATION", default_value = "evaluate", value_parser = operation)]
    pub(crate) operation: Operation,
    /// A forbidden change, such as `success->*`, `*->error`, or `changed` for any; the exit status is 1 if there is one
    #[arg(long, value_name = "CHANGE")]
    pub(crate) fail_on: Vec<Expectation>,
    /// Fail if fewer cases than this could be decided again and compared
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) min_records: u64,
    /// The number of changed cases to show for each pair of statuses
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(..=1000))]
    pub(crate) samples: u16,
    /// The number of threads that decide; by default one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Fail if no host of the cluster decides anything for this many seconds; by default 60
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(crate) nats_patience: Option<u32>,
    /// Write the report as a self-contained HTML file
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// How to print the report
    #[arg(long, value_parser = layouts(), default_value = "table")]
    pub(crate) format: Format,
    /// When to use colours in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
    /// Show no progress on a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,
    #[command(flatten)]
    pub(crate) place: StorePlace,
    #[command(flatten)]
    pub(crate) nats: ClusterPlace,
}

/// The version that decides again; one of these. By default, each record is decided by its own version, and every byte must be
/// the same.
#[derive(Debug, Args)]
pub(crate) struct After {
    /// A module
    #[arg(long, value_name = "FILE", group = "after")]
    pub(crate) module: Option<PathBuf>,
    /// A module of the store: NAME@VERSION, its digest or the beginning of it
    #[arg(long, value_name = "MODULE", group = "after")]
    pub(crate) installed: Option<String>,
    /// The built-in engine with this policy, which replaces the policy of a call
    #[arg(long, value_name = "FILE", group = "after")]
    pub(crate) policy: Option<Source>,
    /// The active composition of this entry of the slot's history
    #[arg(long, value_name = "ENTRY", group = "after", requires = "slot")]
    pub(crate) entry: Option<i64>,
    /// An engine to trust, by its digest or its FILE: it runs without fuel and deadline, and its answers are not checked. Of a
    /// file, policies that are baked into it are trusted, too
    #[arg(long, value_name = "DIGEST|FILE")]
    pub(crate) known_engine: Vec<KnownEngine>,
    /// Fuel for each call of a module that is named by its file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) fuel: Option<u64>,
}

impl Replay {
    /// Refuses what no single argument shows to be wrong.
    pub(super) fn check(&self) -> Result<(), Error> {
        let sources =
            [("FILE", &self.input), ("--policy", &self.version.policy), ("--against", &self.against)];
        one_stdin(sources.iter().filter_map(|(name, source)| Some((*name, source.as_ref()?))))?;
        let After { module, installed, policy, entry, .. } = &self.version;
        let is_named = module.is_some() || installed.is_some() || policy.is_some() || entry.is_some();
        if self.input.is_some() && !is_named {
            return wrong("name who decides again: `--module`, `--installed` or `--policy`");
        }
        if self.input.is_some() && (self.times.since.is_some() || self.times.until.is_some()) {
            return wrong("`--since` and `--until` choose records of a slot, and FILE has none");
        }
        if self.place.store.is_some() && self.slot.is_none() && installed.is_none() {
            return wrong("nothing of a store is asked for: `--store` goes with `--slot` or `--installed`");
        }
        let is_against_module = self.against.as_ref().is_some_and(|source| source.module().is_some());
        if self.version.fuel.is_some() && module.is_none() && !is_against_module {
            return wrong("`--fuel` is for a module that is named by its file, and there is none");
        }
        if !self.version.known_engine.is_empty() && policy.is_some() && !is_against_module {
            return wrong("`--known-engine` is for modules, and none is asked");
        }
        #[cfg(feature = "nats")]
        if self.nats_patience.is_some() && self.nats.settings()?.is_none() {
            return wrong("`--nats-patience` is for hosts of a cluster: say `--nats`");
        }
        if !is_named && self.against.is_some() {
            return wrong(
                "`--against` needs somebody else to decide: `--module`, `--installed`, `--policy` or `--entry`",
            );
        }
        Ok(())
    }
}

fn operation(text: &str) -> Result<Operation, Error> {
    Operation::from_name(&text.replace('-', "_")).ok_or_else(|| {
        Error::new(codes::WRONG_USAGE, format!("`{text}` is no operation: expected for instance `evaluate`"))
    })
}
