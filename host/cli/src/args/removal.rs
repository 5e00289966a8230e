//! The verbs that remove what a store no longer needs.

use adjudicate_host::Retention;
use clap::Args;

use super::{Printed, StorePlace};
use crate::exit;

/// How much of the slots' histories keeps its modules.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Keep {
    /// Keep the modules of the entries that each slot was in within this time, such as 36h or 30d; or of its last entries, so
    /// many. Those of the entry that a slot is in, and of the one that it would be rolled back to, are always kept; 30d without it
    #[arg(long, value_name = "AGE|ENTRIES")]
    keep: Option<Retention>,
}

impl Keep {
    pub(crate) fn retention(self) -> Retention {
        self.keep.unwrap_or_default()
    }
}

/// Remove a module that no slot needs from the store.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Uninstall {
    /// The module: its digest, the beginning of it, NAME@VERSION, or NAME
    #[arg(value_name = "MODULE")]
    pub(crate) module: String,
    #[command(flatten)]
    pub(crate) keep: Keep,
    #[command(flatten)]
    pub(crate) place: StorePlace,
    #[command(flatten)]
    pub(crate) printed: Printed,
}

/// Remove modules, compiled code and shadows' differences that no slot's history within a retention needs, and give the space
/// back to the file system. Histories and decision records stay.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Collect {
    #[command(flatten)]
    pub(crate) keep: Keep,
    /// Remove nothing, and print what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) place: StorePlace,
    #[command(flatten)]
    pub(crate) printed: Printed,
}
