//! The arguments of the commands that read or change a store: its modules, its slots, its trust.

use std::path::PathBuf;

use adjudicate_core::Error;
use clap::{ArgGroup, Args};

use crate::{
    cluster::Membership,
    codes,
    input::{InputFormat, Source},
    options::ReportOptions,
    store_location::StoreLocation,
};

/// The store, its cluster, and the format of a report.
#[derive(Clone, Debug, Args)]
pub(crate) struct StoreOptions {
    #[command(flatten)]
    pub(crate) location: StoreLocation,
    #[command(flatten)]
    pub(crate) nats: Membership,
    #[command(flatten)]
    pub(crate) report_options: ReportOptions,
}

/// The reason of a change.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReasonOptions {
    /// A note for the slot's history
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) note: String,
    /// Fail unless the slot is in this entry of its history
    #[arg(long, value_name = "ENTRY")]
    pub(crate) expected: Option<i64>,
}

/// Modules of a composition, each named by its digest, the beginning of it, NAME@VERSION, or NAME.
#[derive(Clone, Debug, Args)]
pub(crate) struct CompositionOptions {
    /// Also apply this module, which can only make decisions stricter; repeatable
    #[arg(long, value_name = "MODULE", requires = "module")]
    pub(crate) restrict: Vec<String>,
    /// Replace the decision by the one of this module; `--restrict` still applies
    #[arg(long = "override", value_name = "MODULE", requires = "module")]
    pub(crate) overriding: Option<String>,
    /// Accept modules without a signature: for local development
    #[arg(long, requires = "module")]
    pub(crate) allow_unsigned: bool,
}

impl CompositionOptions {
    /// Rejects options of a composition without a module: clap accepts a missing argument if an option that excludes it is given.
    fn check(&self, module: Option<&String>) -> Result<(), Error> {
        let is_given = !self.restrict.is_empty() || self.overriding.is_some() || self.allow_unsigned;
        if module.is_none() && is_given {
            let message = "`--restrict`, `--override` and `--allow-unsigned` need MODULE";
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        Ok(())
    }
}

/// Install a module in the store, after its signatures and tests were checked.
#[derive(Debug, Args)]
pub(crate) struct Install {
    /// The module
    #[arg(value_name = "FILE")]
    pub(crate) module: PathBuf,
    /// Apply the trust policy and limits of this slot
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: Option<String>,
    /// Accept a module without a signature: for local development
    #[arg(long)]
    pub(crate) allow_unsigned: bool,
    #[command(flatten)]
    pub(crate) at: StoreOptions,
}

/// List the modules and slots of the store.
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) at: StoreOptions,
}

/// Show a slot; or create it, change its settings, or delete it.
#[derive(Debug, Args)]
pub(crate) struct SlotArgs {
    /// The slot
    #[arg(value_name = "SLOT")]
    pub(crate) slot: String,
    /// The settings (YAML if it ends in .yaml or .yml); `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Option<Source>,
    /// Create the slot, with default settings
    #[arg(long, conflicts_with = "settings")]
    pub(crate) create: bool,
    /// Delete the slot with its settings and its history
    ///
    /// Its decision records, its own trust policy, and the versions below which a module is a downgrade stay, also for a new slot
    /// with this name.
    #[arg(long, conflicts_with_all = ["settings", "create", "note"])]
    pub(crate) delete: bool,
    #[command(flatten)]
    pub(crate) reason: ReasonOptions,
    #[command(flatten)]
    pub(crate) at: StoreOptions,
}

impl SlotArgs {
    /// Rejects options about a change if no option makes a change.
    pub(super) fn check(&self) -> Result<(), Error> {
        let is_change = self.create || self.delete || self.settings.is_some();
        if !is_change && (!self.reason.note.is_empty() || self.reason.expected.is_some()) {
            let message = "`--note` and `--expected` need a change: `--settings`, `--create` or `--delete`";
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        Ok(())
    }
}

/// Activate a module in a slot.
#[derive(Debug, Args)]
pub(crate) struct Activate {
    /// The slot
    #[arg(value_name = "SLOT")]
    pub(crate) slot: String,
    /// The module that decides: NAME@VERSION, NAME, or a digest or its beginning
    #[arg(value_name = "MODULE")]
    pub(crate) module: String,
    #[command(flatten)]
    pub(crate) composition_options: CompositionOptions,
    /// Create the slot if it does not exist
    #[arg(long)]
    pub(crate) create: bool,
    #[command(flatten)]
    pub(crate) reason: ReasonOptions,
    #[command(flatten)]
    pub(crate) at: StoreOptions,
}

/// Also call a second module, and record its different answers.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["module", "off", "differences"]))]
pub(crate) struct Shadow {
    /// The slot
    #[arg(value_name = "SLOT")]
    pub(crate) slot: String,
    /// The module
    #[arg(value_name = "MODULE")]
    pub(crate) module: Option<String>,
    /// Remove the shadow
    #[arg(long)]
    pub(crate) off: bool,
    /// Print this many of the latest differences, and change nothing
    ///
    /// Each host of a cluster has its own differences.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "20", conflicts_with_all = ["note", "expected"])]
    pub(crate) differences: Option<u32>,
    #[command(flatten)]
    pub(crate) composition_options: CompositionOptions,
    #[command(flatten)]
    pub(crate) reason: ReasonOptions,
    #[command(flatten)]
    pub(crate) at: StoreOptions,
}

impl Shadow {
    /// Rejects arguments that do not fit together.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.differences.is_some() && self.at.nats.is_given() {
            let message = "`--differences` cannot be used with `--nats`: each host of a cluster has its own differences";
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        self.composition_options.check(self.module.as_ref())
    }
}

/// Let a module decide a share of the runs.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["module", "off"]))]
pub(crate) struct CanaryArgs {
    /// The slot
    #[arg(value_name = "SLOT")]
    pub(crate) slot: String,
    /// The module
    #[arg(value_name = "MODULE", requires = "permille")]
    pub(crate) module: Option<String>,
    /// The share of runs that the module decides, out of 1000
    #[arg(long, value_name = "N", requires = "module", value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub(crate) permille: Option<u16>,
    /// Remove the canary
    #[arg(long)]
    pub(crate) off: bool,
    #[command(flatten)]
    pub(crate) composition_options: CompositionOptions,
    #[command(flatten)]
    pub(crate) reason: ReasonOptions,
    #[command(flatten)]
    pub(crate) at: StoreOptions,
}

impl CanaryArgs {
    /// Rejects arguments that do not fit together.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.off && self.permille.is_some() {
            return Err(Error::new(codes::WRONG_USAGE, "`--permille` cannot be used with `--off`"));
        }
        self.composition_options.check(self.module.as_ref())
    }
}

/// Roll a slot back to an earlier composition.
///
/// The checks are those of an activation.
#[derive(Debug, Args)]
pub(crate) struct Rollback {
    /// The slot
    #[arg(value_name = "SLOT")]
    pub(crate) slot: String,
    /// The entry of the slot's history to roll back to
    ///
    /// By default, the newest earlier composition that may be active and that no rollback replaced.
    #[arg(long, value_name = "ENTRY")]
    pub(crate) to: Option<i64>,
    #[command(flatten)]
    pub(crate) reason: ReasonOptions,
    #[command(flatten)]
    pub(crate) at: StoreOptions,
}

/// Show the history of a slot, the latest entry first.
#[derive(Debug, Args)]
pub(crate) struct History {
    /// The slot
    #[arg(value_name = "SLOT")]
    pub(crate) slot: String,
    /// The highest number of entries
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: u32,
    #[command(flatten)]
    pub(crate) at: StoreOptions,
}

/// Show or set the trust policy of the store or of a slot.
#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The slot [default: all slots without a trust policy of their own]
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: Option<String>,
    /// Set this trust policy (YAML if it ends in .yaml or .yml); `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "unset")]
    pub(crate) set: Option<Source>,
    /// Remove the slot's own trust policy
    #[arg(long, requires = "slot")]
    pub(crate) unset: bool,
    /// The format of FILE, instead of the one that its name ends in
    #[arg(long, value_enum, value_name = "FORMAT", requires = "set", conflicts_with = "unset")]
    pub(crate) input_format: Option<InputFormat>,
    #[command(flatten)]
    pub(crate) location: StoreLocation,
    #[command(flatten)]
    pub(crate) report_options: ReportOptions,
}
