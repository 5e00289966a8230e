//! `uninstall`, `slot --delete` and `gc`.

use adjudicate_core::Error;
use adjudicate_host::Retention;
use clap::Args;
use jiff::Timestamp;

use super::{SlotVerb, print, report::Report};
use crate::{
    codes,
    exit::{self, Exit},
    failure::Failure,
    options::Printed,
    place::{StorePlace, open},
};

/// The retention: the part of the slots' histories that keeps its modules.
#[derive(Clone, Copy, Debug, Args)]
struct Keep {
    /// Keep the modules of all entries that each slot was in within this time, for example 36h or 30d, or of this number of its
    /// last entries; 30d by default. The modules of the current entry and of the entry that a rollback would try first always stay
    #[arg(long, value_name = "AGE|ENTRIES")]
    keep: Option<Retention>,
}

impl Keep {
    fn retention(self) -> Retention {
        self.keep.unwrap_or_default()
    }
}

/// Remove a module that no slot needs from the store.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Uninstall {
    /// The module: its digest, the beginning of it, NAME@VERSION, or NAME
    #[arg(value_name = "MODULE")]
    module: String,
    #[command(flatten)]
    keep: Keep,
    #[command(flatten)]
    place: StorePlace,
    #[command(flatten)]
    printed: Printed,
}

/// Remove modules, compiled code and shadows' differences that no slot's history within a retention needs, and give the space
/// back to the file system. Histories and decision records stay.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Collect {
    #[command(flatten)]
    keep: Keep,
    /// Remove nothing, and print what would be removed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    place: StorePlace,
    #[command(flatten)]
    printed: Printed,
}

pub(crate) fn uninstall(args: &Uninstall) -> Result<Exit, Failure> {
    let store = open(&args.place)?;
    let module = store.find_module(&args.module)?.digest;
    let uninstalled = store.uninstall(module, args.keep.retention(), now())?;
    print(&Report::Uninstalled { uninstalled: &uninstalled }, args.printed)
}

pub(super) fn delete(args: &SlotVerb) -> Result<Exit, Failure> {
    if args.at.nats.settings()?.is_some() {
        let message = "slots that hosts share through NATS cannot be deleted";
        return Err(Error::new(codes::WRONG_USAGE, message).into());
    }
    let deleted = open(&args.at.place)?.delete_slot(&args.slot, args.reason.expected)?;
    print(&Report::Deleted { deleted: &deleted }, args.at.printed)
}

pub(crate) fn collect(args: &Collect) -> Result<Exit, Failure> {
    let collected = open(&args.place)?.collect(args.keep.retention(), now(), args.dry_run)?;
    print(&Report::Collected(&collected), args.printed)
}

fn now() -> i64 {
    Timestamp::now().as_millisecond()
}
