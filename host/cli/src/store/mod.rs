//! The commands of the store: `install`, `list`, `slot`, `activate`, `shadow`, `canary`, `rollback`, `history`, `trust`, `uninstall`,
//! `gc`.
//!
//! Each opens the store, does one thing through the host's library, and prints the result.

mod args;
mod removal;
mod report;

use adjudicate_core::{Error, json};
use adjudicate_host::{Canary, Composition, Entry, Slot, SlotSettings, Slots, Store, Terms, Why};
use adjudicate_sandbox::{Digest, Limits};

use crate::{
    cluster::Member,
    codes,
    exit::Exit,
    failure::Failure,
    input, layout,
    options::Printed,
    output,
    place::{self, open, open_slots},
    table,
};
pub(crate) use args::StoreOptions;
pub(crate) use args::{Activate, CanaryVerb, History, Install, List, Rollback, Shadow, SlotVerb, Trust};
use args::{Composed, Reason};
pub(crate) use removal::{Collect, Uninstall, collect, uninstall};
use report::Report;

/// Opens the slots for a command that goes through the cluster, if one is named.
pub(crate) fn open_member(at: &StoreOptions) -> Result<Member, Failure> {
    Member::open(&at.place, &at.nats, place::few(), false)
}

/// Reads the store, after bringing it up to date if a cluster is named.
fn look(
    at: &StoreOptions,
    slot: Option<&str>,
    look: impl FnOnce(&Store) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    if at.nats.settings()?.is_none() {
        return look(&open(&at.place)?);
    }
    let member = open_member(at)?;
    let exit = look(member.store());
    member.checked(slot, exit)
}

/// Changes an existing slot.
fn change(
    at: &StoreOptions,
    name: &str,
    change: impl FnOnce(&Slot) -> Result<Entry, Failure>,
) -> Result<Entry, Failure> {
    let member = open_member(at)?;
    let entry = member.slot(name).map_err(Failure::from).and_then(|slot| change(&slot));
    member.or_behind(name, entry)
}

pub(crate) fn install(args: &Install) -> Result<Exit, Failure> {
    let slots = open_member(&args.at)?;
    let limit = match &args.slot {
        Some(slot) => most_bytes(&slots, slot)?,
        None => Limits::default().module_bytes,
    };
    let module = input::module(&args.module, limit)?;
    let terms = Terms { slot: args.slot.clone(), unsigned: args.allow_unsigned };
    let installed = slots.install(&module, &terms)?;
    print(&Report::Installed(&installed), args.at.printed)
}

/// Returns the most bytes of a module for this slot.
pub(crate) fn most_bytes(slots: &Slots, slot: &str) -> Result<usize, Failure> {
    Ok(slots.store().slot(slot)?.settings.limits(&Limits::default()).module_bytes)
}

pub(crate) fn list(args: &List) -> Result<Exit, Failure> {
    look(&args.at, None, |store| {
        print(&Report::List { modules: &store.modules()?, slots: &store.slots()? }, args.at.printed)
    })
}

pub(crate) fn slot(args: &SlotVerb) -> Result<Exit, Failure> {
    args.check()?;
    if args.delete {
        return removal::delete(args);
    }
    let settings = match &args.settings {
        Some(source) => SlotSettings::parse(&source.part(&source.name(), None)?)
            .map_err(|error| error.within(&source.name()))?,
        None if args.create => SlotSettings::default(),
        None => {
            return look(&args.at, Some(&args.slot), |store| {
                print(&Report::Entry(&store.slot(&args.slot)?), args.at.printed)
            });
        }
    };
    let slots = open_member(&args.at)?;
    if args.create && slots.store().slot(&args.slot).is_ok() {
        let message = format!("there is a slot `{}` already", args.slot);
        return Err(Error::new(codes::SLOT_CHANGED, message).into());
    }
    let made = slots.create(&args.slot, settings, &why(&args.reason)).map_err(Failure::from);
    let slot = slots.or_behind(&args.slot, made)?;
    print(&Report::Entry(&slot.entry()), args.at.printed)
}

pub(crate) fn activate(args: &Activate) -> Result<Exit, Failure> {
    let slots = open_member(&args.at)?;
    let composition = composition(slots.store(), &args.module, &args.composed)?;
    let slot = match slots.slot(&args.slot) {
        Err(error) if args.create && error.code() == codes::UNKNOWN_SLOT => {
            slots.create(&args.slot, SlotSettings::default(), &why(&args.reason))
        }
        slot => slot.map_err(hint_at_create),
    };
    let entry = slot.and_then(|slot| slot.activate(composition, &why(&args.reason))).map_err(Failure::from);
    print(&Report::Entry(&slots.or_behind(&args.slot, entry)?), args.at.printed)
}

fn hint_at_create(error: Error) -> Error {
    match error.code() {
        codes::UNKNOWN_SLOT => {
            Error::new(codes::UNKNOWN_SLOT, format!("{}; `--create` makes it", error.message()))
        }
        _ => error,
    }
}

pub(crate) fn shadow(args: &Shadow) -> Result<Exit, Failure> {
    args.check()?;
    if let Some(most) = args.differences {
        // Differences are only in this store: no cluster has them, even if the environment names one.
        let store = open(&args.at.place)?;
        store.slot(&args.slot)?;
        return print(
            &Report::Differences { differences: &store.differences(&args.slot, most)? },
            args.at.printed,
        );
    }
    let entry = change(&args.at, &args.slot, |slot| {
        let module = args.module.as_ref();
        let composition =
            module.map(|module| composition(slot.store(), module, &args.composed)).transpose()?;
        Ok(slot.shadow(composition, &why(&args.reason))?)
    })?;
    print(&Report::Entry(&entry), args.at.printed)
}

pub(crate) fn canary(args: &CanaryVerb) -> Result<Exit, Failure> {
    args.check()?;
    let entry = change(&args.at, &args.slot, |slot| {
        let canary = match (&args.module, args.permille) {
            (Some(module), Some(permille)) => {
                Some(Canary::of(composition(slot.store(), module, &args.composed)?, permille))
            }
            _ => None,
        };
        Ok(slot.canary(canary, &why(&args.reason))?)
    })?;
    print(&Report::Entry(&entry), args.at.printed)
}

pub(crate) fn rollback(args: &Rollback) -> Result<Exit, Failure> {
    let entry = change(&args.at, &args.slot, |slot| Ok(slot.rollback(args.to, &why(&args.reason))?))?;
    print(&Report::Entry(&entry), args.at.printed)
}

pub(crate) fn history(args: &History) -> Result<Exit, Failure> {
    look(&args.at, Some(&args.slot), |store| {
        print(&Report::History { history: &store.history(&args.slot, args.limit)? }, args.at.printed)
    })
}

pub(crate) fn trust(args: &Trust) -> Result<Exit, Failure> {
    let slots = open_slots(&args.place, place::few())?;
    let slot = args.slot.as_deref();
    if let Some(slot) = slot.filter(|_| args.unset) {
        slots.unset_trust(slot)?;
    }
    if let Some(source) = &args.set {
        let text = source.part(&source.name(), args.input_format)?;
        let text = String::from_utf8(text).map_err(|_| Error::new(codes::MALFORMED_JSON, "not UTF-8"))?;
        slots.set_trust(slot, &text).map_err(|error| error.within(&source.name()))?;
    }
    let document = slots.trust(slot)?;
    let trust = document.as_deref().and_then(|document| serde_json::from_str(document).ok());
    print(&Report::Trust { trust }, args.printed)
}

fn why(reason: &Reason) -> Why {
    Why { note: reason.note.clone(), expected: reason.expected }
}

/// Returns the named modules as a composition.
fn composition(store: &Store, base: &str, composed: &Composed) -> Result<Composition, Error> {
    let find = |meant: &str| store.find_module(meant).map(|module| module.digest);
    let mut composition = Composition::of(find(base)?);
    if let Some(overriding) = &composed.overriding {
        composition = composition.overridden_by(find(overriding)?);
    }
    let restricting =
        composed.restrict.iter().map(|meant| find(meant)).collect::<Result<Vec<Digest>, Error>>()?;
    let composition = restricting.into_iter().fold(composition, Composition::restricted_by);
    Ok(if composed.allow_unsigned { composition.unsigned() } else { composition })
}

fn print(report: &Report<'_>, printed: Printed) -> Result<Exit, Failure> {
    let json = layout::json(report);
    output::answer(&json, printed.format, printed.color, || {
        Ok(match json::read(json.as_bytes(), json::Limits::ANSWER) {
            Ok(tape) => report.page(tape.root()),
            Err(_) => table::Page::default(),
        })
    })?;
    Ok(Exit::Answered)
}
