//! The commands of the store: `install`, `list`, `slot`, `activate`, `shadow`, `canary`, `rollback`, `history`, `trust`, `uninstall`,
//! `gc`.
//!
//! Each opens the store, does one thing through the host's library, and prints the result.

mod args;
mod removal;
mod report;

use adjudicate_core::Error;
use adjudicate_host::{
    Canary, ChangeReason, Composition, DifferenceList, InstallOptions, Slot, SlotEntry, SlotSettings, Slots,
    Store,
};
use adjudicate_sandbox::{Digest, Limits};

use crate::{
    cluster::SyncedSlots,
    codes,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input,
    store_location::{self, open, open_slots, with_slots},
};
pub(crate) use args::StoreOptions;
pub(crate) use args::{Activate, CanaryArgs, History, Install, List, Rollback, Shadow, SlotArgs, Trust};
use args::{CompositionOptions, ReasonOptions};
pub(crate) use removal::{CollectGarbage, Uninstall, collect, uninstall};
use report::StoreReport;
pub(crate) use report::{ActiveTrust, StoreContent};

/// Opens the slots for a command that goes through the cluster, if one is named.
pub(crate) fn open_synced(at: &StoreOptions, env: &Environment) -> Result<SyncedSlots, Failure> {
    SyncedSlots::open(&at.location, &at.nats, store_location::single_call_settings(), false, env)
}

/// Reads the store, after bringing it up to date if a cluster is named.
fn read(
    at: &StoreOptions,
    slot: Option<&str>,
    env: &Environment,
    read: impl FnOnce(&Store) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let read =
        |store: &Store| read(store).map_err(|failure| with_slots(failure, slot.unwrap_or_default(), store));
    if at.nats.settings(env)?.is_none() {
        return read(&open(&at.location, env)?);
    }
    let slots = open_synced(at, env)?;
    let exit = read(slots.store());
    slots.checked(slot, exit)
}

/// Changes an existing slot.
fn change(
    at: &StoreOptions,
    name: &str,
    env: &Environment,
    change: impl FnOnce(&Slot) -> Result<SlotEntry, Failure>,
) -> Result<SlotEntry, Failure> {
    let slots = open_synced(at, env)?;
    let slot = slots.slot(name).map_err(|error| with_slots(error, name, slots.store()));
    let entry = slot.and_then(|slot| change(&slot));
    slots.or_behind(name, entry)
}

pub(crate) fn install(args: &Install, env: &Environment) -> Result<Exit, Failure> {
    let slots = open_synced(&args.at, env)?;
    let limit = match &args.slot {
        Some(slot) => module_size_limit(&slots, slot)?,
        None => Limits::default().module_bytes,
    };
    let module = input::module(&args.module, limit, env)?;
    let terms = InstallOptions { slot: args.slot.clone(), unsigned: args.allow_unsigned };
    let installed = slots.install(&module, &terms)?;
    args.at.report_options.print(&StoreReport::Installed(&installed), StoreReport::page, env)
}

/// Returns the most bytes of a module for this slot.
pub(crate) fn module_size_limit(slots: &Slots, slot: &str) -> Result<usize, Failure> {
    let store = slots.store();
    let entry = store.slot(slot).map_err(|error| with_slots(error, slot, store))?;
    Ok(entry.settings.limits(&Limits::default()).module_bytes)
}

pub(crate) fn list(args: &List, env: &Environment) -> Result<Exit, Failure> {
    read(&args.at, None, env, |store| {
        let content = StoreContent { modules: store.modules()?, slots: store.slots()? };
        args.at.report_options.print(&StoreReport::List(content), StoreReport::page, env)
    })
}

pub(crate) fn slot(args: &SlotArgs, env: &Environment) -> Result<Exit, Failure> {
    args.check()?;
    if args.delete {
        return removal::delete(args, env);
    }
    let settings = match &args.settings {
        Some(source) => SlotSettings::parse(&source.part(&source.name(), None, env)?)
            .map_err(|error| error.within(&source.name()))?,
        None if args.create => SlotSettings::default(),
        None => {
            return read(&args.at, Some(&args.slot), env, |store| {
                args.at.report_options.print(
                    &StoreReport::Entry(&store.slot(&args.slot)?),
                    StoreReport::page,
                    env,
                )
            });
        }
    };
    let slots = open_synced(&args.at, env)?;
    if args.create && slots.store().slot(&args.slot).is_ok() {
        let message = format!("there is a slot `{}` already", args.slot);
        return Err(Error::new(codes::SLOT_CHANGED, message).into());
    }
    let made = slots.create(&args.slot, settings, &change_reason(&args.reason)).map_err(Failure::from);
    let slot = slots.or_behind(&args.slot, made)?;
    args.at.report_options.print(&StoreReport::Entry(&slot.entry()), StoreReport::page, env)
}

pub(crate) fn activate(args: &Activate, env: &Environment) -> Result<Exit, Failure> {
    let slots = open_synced(&args.at, env)?;
    let composition = composition(slots.store(), &args.module, &args.composition_options)?;
    let slot = match slots.slot(&args.slot) {
        Err(error) if args.create && error.code() == codes::UNKNOWN_SLOT => {
            slots.create(&args.slot, SlotSettings::default(), &change_reason(&args.reason))
        }
        slot => slot,
    };
    let entry = slot
        .and_then(|slot| slot.activate(composition, &change_reason(&args.reason)))
        .map_err(|error| with_slots(error, &args.slot, slots.store()));
    args.at.report_options.print(
        &StoreReport::Entry(&slots.or_behind(&args.slot, entry)?),
        StoreReport::page,
        env,
    )
}

pub(crate) fn shadow(args: &Shadow, env: &Environment) -> Result<Exit, Failure> {
    args.check()?;
    if let Some(most) = args.differences {
        // Differences are only in this store: no cluster has them, even if the environment names one.
        let store = open(&args.at.location, env)?;
        store.slot(&args.slot).map_err(|error| with_slots(error, &args.slot, &store))?;
        let differences = DifferenceList { differences: store.differences(&args.slot, most)? };
        return args.at.report_options.print(&StoreReport::Differences(differences), StoreReport::page, env);
    }
    let entry = change(&args.at, &args.slot, env, |slot| {
        let module = args.module.as_ref();
        let composition =
            module.map(|module| composition(slot.store(), module, &args.composition_options)).transpose()?;
        Ok(slot.shadow(composition, &change_reason(&args.reason))?)
    })?;
    args.at.report_options.print(&StoreReport::Entry(&entry), StoreReport::page, env)
}

pub(crate) fn canary(args: &CanaryArgs, env: &Environment) -> Result<Exit, Failure> {
    args.check()?;
    let entry = change(&args.at, &args.slot, env, |slot| {
        let canary = match (&args.module, args.permille) {
            (Some(module), Some(permille)) => {
                Some(Canary::new(composition(slot.store(), module, &args.composition_options)?, permille))
            }
            _ => None,
        };
        Ok(slot.canary(canary, &change_reason(&args.reason))?)
    })?;
    args.at.report_options.print(&StoreReport::Entry(&entry), StoreReport::page, env)
}

pub(crate) fn rollback(args: &Rollback, env: &Environment) -> Result<Exit, Failure> {
    let entry =
        change(&args.at, &args.slot, env, |slot| Ok(slot.rollback(args.to, &change_reason(&args.reason))?))?;
    args.at.report_options.print(&StoreReport::Entry(&entry), StoreReport::page, env)
}

pub(crate) fn history(args: &History, env: &Environment) -> Result<Exit, Failure> {
    read(&args.at, Some(&args.slot), env, |store| {
        let history = adjudicate_host::History { history: store.history(&args.slot, args.limit)? };
        args.at.report_options.print(&StoreReport::History(history), StoreReport::page, env)
    })
}

pub(crate) fn trust(args: &Trust, env: &Environment) -> Result<Exit, Failure> {
    let slots = open_slots(&args.location, store_location::single_call_settings(), env)?;
    let slot = args.slot.as_deref();
    let with_slots = |error: Error| with_slots(error, slot.unwrap_or_default(), slots.store());
    if let Some(slot) = slot.filter(|_| args.unset) {
        slots.unset_trust(slot).map_err(with_slots)?;
    }
    if let Some(source) = &args.set {
        let text = source.part(&source.name(), args.input_format, env)?;
        let text = String::from_utf8(text).map_err(|_| Error::new(codes::MALFORMED_JSON, "not UTF-8"))?;
        slots.set_trust(slot, &text).map_err(|error| match error.code() {
            codes::UNKNOWN_SLOT => with_slots(error),
            _ => error.within(&source.name()).into(),
        })?;
    }
    let document = slots.trust(slot).map_err(with_slots)?;
    let trust = document.as_deref().and_then(|document| serde_json::from_str(document).ok());
    args.report_options.print(&StoreReport::Trust(ActiveTrust { trust }), StoreReport::page, env)
}

fn change_reason(reason: &ReasonOptions) -> ChangeReason {
    ChangeReason { note: reason.note.clone(), expected: reason.expected }
}

/// Returns the named modules as a composition.
fn composition(
    store: &Store,
    base: &str,
    composition_options: &CompositionOptions,
) -> Result<Composition, Error> {
    let find = |meant: &str| store.find_module(meant).map(|module| module.digest);
    let mut composition = Composition::new(find(base)?);
    if let Some(overriding) = &composition_options.overriding {
        composition = composition.overridden_by(find(overriding)?);
    }
    let restricting = composition_options
        .restrict
        .iter()
        .map(|meant| find(meant))
        .collect::<Result<Vec<Digest>, Error>>()?;
    let composition = restricting.into_iter().fold(composition, Composition::restricted_by);
    Ok(if composition_options.allow_unsigned { composition.unsigned() } else { composition })
}
