//! The location of the store, and functions that open it.

use std::{env, path::PathBuf};

use adjudicate_core::Error;
use adjudicate_host::{Slots, Store};
use adjudicate_sandbox::{Host, Settings};
use clap::Args;

use crate::{codes, compiler, directories, failure::Failure};

/// The location of the store.
#[derive(Clone, Debug, Args)]
pub(crate) struct StorePlace {
    /// The directory of the store; by default $ADJUDICATE_STORE, or `adjudicate` in the user's data directory
    #[arg(long, value_name = "DIR", global = false)]
    pub(crate) store: Option<PathBuf>,
}

/// The environment variable with the directory of the store.
const PLACE: &str = "ADJUDICATE_STORE";

/// Opens the store, and creates it if there is none.
pub(crate) fn open(place: &StorePlace) -> Result<Store, Failure> {
    Ok(Store::open(&directory(place)?)?)
}

/// Opens the store if there is one.
#[cfg(feature = "nats")]
pub(crate) fn find(place: &StorePlace) -> Result<Option<Store>, Failure> {
    let directory = directory(place)?;
    Ok(if Store::is_in(&directory) { Some(Store::open(&directory)?) } else { None })
}

fn directory(place: &StorePlace) -> Result<PathBuf, Error> {
    let directory =
        place.store.clone().or_else(|| env::var_os(PLACE).map(PathBuf::from)).or_else(directories::data);
    directory.ok_or_else(|| {
        let message = format!("there is no home directory to keep a store in; say `--store` or set {PLACE}");
        Error::new(codes::WRONG_USAGE, message)
    })
}

/// Opens the slots of the store, on a host with these settings.
pub(crate) fn open_slots(place: &StorePlace, settings: Settings) -> Result<Slots, Failure> {
    let store = open(place)?;
    let host = host(&store, settings)?;
    Ok(Slots::open(store, host)?)
}

/// Returns a host with these settings, except the cache, which is the store's, and the compiler, which is a child process.
pub(crate) fn host(store: &Store, settings: Settings) -> Result<Host, Failure> {
    let cache = match store.cache() {
        // A read-only store cannot keep compiled code, so each module is compiled each time.
        Err(_) if store.is_read_only() => None,
        cache => Some(cache?),
    };
    let settings = Settings { cache, compiler: compiler::bounded()?, ..settings };
    Ok(Host::new(settings)?)
}

/// Returns the settings of a host for a command with one call at a time: few instances of modules.
pub(crate) fn few() -> Settings {
    Settings { instances: 4, ..Settings::default() }
}
