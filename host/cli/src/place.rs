//! Which store is meant, and opening it.

use std::{env, path::PathBuf};

use adjudicate_core::Error;
use adjudicate_host::{Slots, Store};
use adjudicate_sandbox::{Host, Settings};
use clap::Args;

use crate::{codes, compiler, directories, failure::Failure};

/// Which store.
#[derive(Clone, Debug, Args)]
pub(crate) struct StorePlace {
    /// The directory of the store; without it $ADJUDICATE_STORE, or `adjudicate` in the user's data directory
    #[arg(long, value_name = "DIR", global = false)]
    pub(crate) store: Option<PathBuf>,
}

/// Names a store's directory.
const PLACE: &str = "ADJUDICATE_STORE";

/// Opens the store that is meant.
pub(crate) fn open(place: &StorePlace) -> Result<Store, Failure> {
    Ok(Store::open(&directory(place)?)?)
}

/// The same, where there is one.
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

/// Opens the slots of the store that is meant, on a host with these settings.
pub(crate) fn open_slots(place: &StorePlace, settings: Settings) -> Result<Slots, Failure> {
    let store = open(place)?;
    let host = host(&store, settings)?;
    Ok(Slots::open(store, host)?)
}

/// A host with these settings; where code is compiled and kept is not theirs to say.
pub(crate) fn host(store: &Store, settings: Settings) -> Result<Host, Failure> {
    let cache = match store.cache() {
        // What was compiled cannot be kept there; without it a module is compiled each time.
        Err(_) if store.is_read_only() => None,
        cache => Some(cache?),
    };
    let settings = Settings { cache, compiler: compiler::bounded()?, ..settings };
    Ok(Host::new(settings)?)
}

/// The settings of a host for a verb that asks for one thing at a time: few instances of modules at once.
pub(crate) fn few() -> Settings {
    Settings { instances: 4, ..Settings::default() }
}
