//! `uninstall`, `slot --delete` and `gc`.

use adjudicate_core::{Error, ErrorCode};
use jiff::Timestamp;

use super::{open, print, report::Report};
use crate::{
    args::{Collect, SlotVerb, Uninstall},
    exit::Exit,
    failure::Failure,
};

pub(crate) fn uninstall(args: &Uninstall) -> Result<Exit, Failure> {
    let store = open(&args.place)?;
    let module = store.find_module(&args.module)?.digest;
    let uninstalled = store.uninstall(module, args.keep.retention(), now())?;
    print(&Report::Uninstalled { uninstalled: &uninstalled }, args.printed)
}

pub(super) fn delete(args: &SlotVerb) -> Result<Exit, Failure> {
    if args.nats.settings()?.is_some() {
        let message = "slots that hosts share through NATS cannot be deleted";
        return Err(Error::new(ErrorCode::WrongUsage, message).into());
    }
    let deleted = open(&args.place)?.delete_slot(&args.slot, args.reason.expected)?;
    print(&Report::Deleted { deleted: &deleted }, args.printed)
}

pub(crate) fn collect(args: &Collect) -> Result<Exit, Failure> {
    let collected = open(&args.place)?.collect(args.keep.retention(), now(), args.dry_run)?;
    print(&Report::Collected(&collected), args.printed)
}

fn now() -> i64 {
    Timestamp::now().as_millisecond()
}
