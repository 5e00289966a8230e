//! The location of the store, and functions that open it.

use std::path::PathBuf;

use adjudicate_core::Error;
use adjudicate_host::{Slots, Store};
use adjudicate_sandbox::{CallError, Host, HostSettings};
use clap::Args;

use crate::{codes, compiler, directories, environment::Environment, failure::Failure};

/// The location of the store.
#[derive(Clone, Debug, Args)]
pub(crate) struct StoreLocation {
    /// The directory of the store [env: ADJUDICATE_STORE]
    ///
    /// By default `adjudicate` in the user's data directory.
    #[arg(long, value_name = "DIR", global = false)]
    pub(crate) store: Option<PathBuf>,
}

/// The environment variable with the directory of the store.
const VARIABLE: &str = "ADJUDICATE_STORE";

/// Opens the store, and creates it if there is none.
pub(crate) fn open(location: &StoreLocation, env: &Environment) -> Result<Store, Failure> {
    Ok(Store::open(&directory(location, env)?)?)
}

/// Opens the store if there is one.
#[cfg(feature = "nats")]
pub(crate) fn find(location: &StoreLocation, env: &Environment) -> Result<Option<Store>, Failure> {
    let directory = directory(location, env)?;
    Ok(if Store::is_in(&directory) { Some(Store::open(&directory)?) } else { None })
}

fn directory(location: &StoreLocation, env: &Environment) -> Result<PathBuf, Error> {
    let directory = location
        .store
        .clone()
        .or_else(|| env.variable(VARIABLE).map(PathBuf::from))
        .or_else(|| directories::data(env));
    directory.map(|directory| env.path(&directory)).ok_or_else(|| {
        let message = format!("no home directory for a store: pass `--store`, or set {VARIABLE}");
        Error::new(codes::WRONG_USAGE, message)
    })
}

/// Opens the slots of the store, on a host with these settings.
pub(crate) fn open_slots(
    location: &StoreLocation,
    settings: HostSettings,
    env: &Environment,
) -> Result<Slots, Failure> {
    let store = open(location, env)?;
    let host = host(&store, settings, env)?;
    Ok(Slots::open(store, host)?)
}

/// Adds the slots of the store, and the command that creates a slot, to an error about an unknown slot.
pub(crate) fn with_slots(failure: impl Into<Failure>, slot: &str, store: &Store) -> Failure {
    const MOST: usize = 10;
    match failure.into() {
        Failure::Error(CallError::Fault(error)) if error.code() == codes::UNKNOWN_SLOT => {
            let slots = store.slots().unwrap_or_default();
            let names: Vec<_> = slots.iter().take(MOST).map(|entry| format!("`{}`", entry.slot)).collect();
            let known = match slots.len() {
                0 => "no slots".to_owned(),
                count if count > MOST => format!("{} and {} more", names.join(", "), count - MOST),
                _ => names.join(", "),
            };
            let message = format!(
                "{}; this store has {known}; to create it: `adjudicate activate {slot} MODULE --create`",
                error.message()
            );
            Error::new(codes::UNKNOWN_SLOT, message).into()
        }
        failure => failure,
    }
}

/// Returns a host with these settings, except the cache, which is the store's, and the compiler, which is a child process.
pub(crate) fn host(store: &Store, settings: HostSettings, env: &Environment) -> Result<Host, Failure> {
    let cache = match store.cache() {
        // A read-only store cannot keep compiled code, so each module is compiled each time.
        Err(_) if store.is_read_only() => None,
        cache => Some(cache?),
    };
    let settings = HostSettings { cache, compiler: compiler::child_process(env)?, ..settings };
    Ok(Host::new(settings)?)
}

/// Returns the settings of a host for a command with one call at a time: few instances of modules.
pub(crate) fn single_call_settings() -> HostSettings {
    HostSettings { instances: 4, ..HostSettings::default() }
}
