//! The verbs of the store: `install`, `list`, `slot`, `activate`, `shadow`, `canary`, `rollback`, `history`, `trust`.
//!
//! Each opens the store, does one thing through the host's library, and prints what the store says then.

mod report;

use std::{env, path::PathBuf};

use adjudicate_core::{Error, ErrorCode, json};
use adjudicate_host::{
    Canary, Composition, Digest, Host, Limits, Settings, Slot, SlotSettings, Slots, Store, Terms, Why,
};

use crate::{
    args::{
        Activate, CanaryVerb, Composed, History, Install, List, Printed, Reason, Rollback, Shadow, SlotVerb,
        StorePlace, Trust,
    },
    compiler, directories,
    exit::Exit,
    failure::Failure,
    input, layout, output, table,
};
use report::Report;

/// Names a store's directory.
const PLACE: &str = "ADJUDICATE_STORE";

/// Opens the store that is meant.
pub(crate) fn open(place: &StorePlace) -> Result<Store, Failure> {
    let directory =
        place.store.clone().or_else(|| env::var_os(PLACE).map(PathBuf::from)).or_else(directories::data);
    let directory = directory.ok_or_else(|| {
        let message = format!("there is no home directory to keep a store in; say `--store` or set {PLACE}");
        Error::new(ErrorCode::WrongUsage, message)
    })?;
    Ok(Store::open(&directory)?)
}

/// How many instances of modules a verb that asks for one thing at a time may have at once.
const FEW: u32 = 4;

/// Opens the slots of the store that is meant, for a verb that does one thing.
pub(crate) fn open_slots(place: &StorePlace) -> Result<Slots, Failure> {
    open_slots_with(place, Settings { instances: FEW, ..Settings::default() })
}

/// Opens the slots of the store that is meant, on a host with these settings; where code is compiled and kept is not theirs to
/// say.
pub(crate) fn open_slots_with(place: &StorePlace, settings: Settings) -> Result<Slots, Failure> {
    let store = open(place)?;
    let settings = Settings { cache: Some(store.cache()?), compiler: compiler::bounded()?, ..settings };
    Ok(Slots::open(store, Host::new(settings)?)?)
}

pub(crate) fn install(args: &Install) -> Result<Exit, Failure> {
    let slots = open_slots(&args.place)?;
    let limit = match &args.slot {
        Some(slot) => slots.store().slot(slot)?.settings.limits(&Limits::default()).module_bytes,
        None => Limits::default().module_bytes,
    };
    let module = input::module(&args.module, limit)?;
    let terms = Terms { slot: args.slot.clone(), unsigned: args.allow_unsigned };
    let installed = slots.install(&module, &terms)?;
    print(&Report::Installed(&installed), args.printed)
}

pub(crate) fn list(args: &List) -> Result<Exit, Failure> {
    let store = open(&args.place)?;
    print(&Report::List { modules: &store.modules()?, slots: &store.slots()? }, args.printed)
}

pub(crate) fn slot(args: &SlotVerb) -> Result<Exit, Failure> {
    let settings = match &args.settings {
        Some(source) => SlotSettings::parse(&source.part(&source.name(), None)?)
            .map_err(|error| error.within(&source.name()))?,
        None if args.create => SlotSettings::default(),
        None => {
            let entry = open(&args.place)?.slot(&args.slot)?;
            return print(&Report::Entry(&entry), args.printed);
        }
    };
    let slots = open_slots(&args.place)?;
    if args.create && slots.store().slot(&args.slot).is_ok() {
        let message = format!("there is a slot `{}` already", args.slot);
        return Err(Error::new(ErrorCode::SlotChanged, message).into());
    }
    let slot = slots.create(&args.slot, settings, &why(&args.reason))?;
    print(&Report::Entry(&slot.entry()), args.printed)
}

pub(crate) fn activate(args: &Activate) -> Result<Exit, Failure> {
    let slots = open_slots(&args.place)?;
    let composition = composition(slots.store(), &args.module, &args.composed)?;
    let slot = match slots.slot(&args.slot) {
        Err(error) if args.create && error.code() == ErrorCode::UnknownSlot => {
            slots.create(&args.slot, SlotSettings::default(), &why(&args.reason))?
        }
        slot => slot.map_err(hint_at_create)?,
    };
    print(&Report::Entry(&slot.activate(composition, &why(&args.reason))?), args.printed)
}

fn hint_at_create(error: Error) -> Error {
    match error.code() {
        ErrorCode::UnknownSlot => {
            Error::new(ErrorCode::UnknownSlot, format!("{}; `--create` makes it", error.message()))
        }
        _ => error,
    }
}

pub(crate) fn shadow(args: &Shadow) -> Result<Exit, Failure> {
    if let Some(most) = args.differences {
        let store = open(&args.place)?;
        store.slot(&args.slot)?;
        return print(
            &Report::Differences { differences: &store.differences(&args.slot, most)? },
            args.printed,
        );
    }
    let slot = open_slot(&args.place, &args.slot)?;
    let composition =
        args.module.as_ref().map(|module| composition(slot.store(), module, &args.composed)).transpose()?;
    print(&Report::Entry(&slot.shadow(composition, &why(&args.reason))?), args.printed)
}

pub(crate) fn canary(args: &CanaryVerb) -> Result<Exit, Failure> {
    let slot = open_slot(&args.place, &args.slot)?;
    let canary = match (&args.module, args.permille) {
        (Some(module), Some(permille)) => {
            Some(Canary::of(composition(slot.store(), module, &args.composed)?, permille))
        }
        _ => None,
    };
    print(&Report::Entry(&slot.canary(canary, &why(&args.reason))?), args.printed)
}

pub(crate) fn rollback(args: &Rollback) -> Result<Exit, Failure> {
    let slot = open_slot(&args.place, &args.slot)?;
    print(&Report::Entry(&slot.rollback(args.to, &why(&args.reason))?), args.printed)
}

pub(crate) fn history(args: &History) -> Result<Exit, Failure> {
    let store = open(&args.place)?;
    print(&Report::History { history: &store.history(&args.slot, args.limit)? }, args.printed)
}

pub(crate) fn trust(args: &Trust) -> Result<Exit, Failure> {
    let slots = open_slots(&args.place)?;
    let slot = args.slot.as_deref();
    if let Some(slot) = slot.filter(|_| args.unset) {
        slots.unset_trust(slot)?;
    }
    if let Some(source) = &args.set {
        let text = source.part(&source.name(), args.input_format)?;
        let text = String::from_utf8(text).map_err(|_| Error::new(ErrorCode::MalformedJson, "not UTF-8"))?;
        slots.set_trust(slot, &text).map_err(|error| error.within(&source.name()))?;
    }
    let document = slots.trust(slot)?;
    let trust = document.as_deref().and_then(|document| serde_json::from_str(document).ok());
    print(&Report::Trust { trust }, args.printed)
}

fn open_slot(place: &StorePlace, name: &str) -> Result<Slot, Failure> {
    Ok(open_slots(place)?.slot(name)?)
}

fn why(reason: &Reason) -> Why {
    Why { note: reason.note.clone(), expected: reason.expected }
}

/// The modules that are meant, as a composition.
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
