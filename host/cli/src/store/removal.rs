//! `uninstall`, `slot --delete` and `gc`.

use adjudicate_core::Error;
use adjudicate_host::{DeletedSlot, Retention, Uninstalled};
use clap::Args;
use jiff::Timestamp;

use super::{SlotArgs, report::StoreReport};
use crate::{
    codes,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    options::ReportOptions,
    store_location::{StoreLocation, open, with_slots},
};

/// The retention: the part of the slots' histories that keeps its modules.
#[derive(Clone, Copy, Debug, Args)]
struct RetentionOptions {
    /// Keep the modules of this time, or of this number of entries, in each slot's history
    ///
    /// A time is for example 36h or 30d. The default is 30d. The modules of the current entry and of the entry that a rollback
    /// would try first always stay.
    #[arg(long, value_name = "AGE|ENTRIES")]
    keep: Option<Retention>,
}

impl RetentionOptions {
    fn retention(self) -> Retention {
        self.keep.unwrap_or_default()
    }
}

/// Remove a module from the store, if no slot needs it.
#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    /// The module: its digest, the beginning of it, NAME@VERSION, or NAME
    #[arg(value_name = "MODULE")]
    module: String,
    #[command(flatten)]
    keep: RetentionOptions,
    #[command(flatten)]
    location: StoreLocation,
    #[command(flatten)]
    report_options: ReportOptions,
}

/// Remove modules, compiled code and differences that no slot needs.
///
/// A slot needs the modules of its recent history (see --keep). The command returns the space to the file system. Histories and decision
/// records stay.
#[derive(Debug, Args)]
pub(crate) struct CollectGarbage {
    #[command(flatten)]
    keep: RetentionOptions,
    /// Print the removals without making them
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    location: StoreLocation,
    #[command(flatten)]
    report_options: ReportOptions,
}

pub(crate) fn uninstall(args: &Uninstall, env: &Environment) -> Result<Exit, Failure> {
    let store = open(&args.location, env)?;
    let module = store.find_module(&args.module)?.digest;
    let uninstalled = store.uninstall(module, args.keep.retention(), now())?;
    args.report_options.print(&StoreReport::Uninstalled(&Uninstalled { uninstalled }), StoreReport::page, env)
}

pub(super) fn delete(args: &SlotArgs, env: &Environment) -> Result<Exit, Failure> {
    if args.at.nats.settings(env)?.is_some() {
        let message = "slots that hosts share through NATS cannot be deleted";
        return Err(Error::new(codes::WRONG_USAGE, message).into());
    }
    let store = open(&args.at.location, env)?;
    let deleted = store.delete_slot(&args.slot, args.reason.expected);
    let deleted = deleted.map_err(|error| with_slots(error, &args.slot, &store))?;
    args.at.report_options.print(&StoreReport::Deleted(&DeletedSlot { deleted }), StoreReport::page, env)
}

pub(crate) fn collect(args: &CollectGarbage, env: &Environment) -> Result<Exit, Failure> {
    let collected = open(&args.location, env)?.collect(args.keep.retention(), now(), args.dry_run)?;
    args.report_options.print(&StoreReport::Collected(&collected), StoreReport::page, env)
}

fn now() -> i64 {
    Timestamp::now().as_millisecond()
}
