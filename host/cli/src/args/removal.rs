//! The commands that remove modules and other data that a store no longer needs.

use adjudicate_host::Retention;
use clap::Args;

use super::{Printed, StorePlace};
use crate::exit;

/// How much of the slots' histories keeps its modules.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Keep {
    /// Keep the modules of all entries that each slot was in within this time, for example 36h or 30d, or of this number of its
    /// last entries; 30d by default. The modules of the current entry and of the entry that a rollback would try first always stay
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
