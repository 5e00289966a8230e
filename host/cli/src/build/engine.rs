//! Where the engine module comes from that policies are baked into.

use std::{
    borrow::Cow,
    env,
    path::{Path, PathBuf},
};

use adjudicate_core::{Error, VERSION};
use adjudicate_sandbox::{Limits, manifest};

use crate::{codes, directories, input};

/// Names the engine where no option does.
const VARIABLE: &str = "ADJUDICATE_ENGINE";

/// The engine that was put into the command when it was compiled, if one was.
#[cfg(embedded_engine)]
const EMBEDDED: Option<&[u8]> = Some(include_bytes!(env!("ADJUDICATE_EMBEDDED_ENGINE")));
#[cfg(not(embedded_engine))]
const EMBEDDED: Option<&[u8]> = None;

/// Where an engine lies that belongs to a command, relative to it: beside it, where a package puts it, and where `cargo xtask
/// build` leaves it for the commands that cargo builds. After these comes the user's data folder.
const PLACES: [&str; 3] = ["engine.wasm", "../share/adjudicate/engine.wasm", "../artifacts/engine.wasm"];

/// The bytes of the engine: the one that is named, or else the one that comes with the command.
///
/// # Errors
///
/// [`codes::UNREADABLE_INPUT`] for one that is named and cannot be read; [`codes::ENGINE_LOAD`] where none is found, or
/// only one of another version than the command's.
pub(super) fn find(said: Option<&Path>) -> Result<Cow<'static, [u8]>, Error> {
    let named = said.map(Path::to_owned);
    let named = named.or_else(|| env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from));
    if let Some(path) = named {
        return read(&path).map(Cow::from);
    }
    if let Some(engine) = EMBEDDED {
        return Ok(engine.into());
    }
    let users = directories::data().map(|folder| folder.join("engine.wasm"));
    let path = beside().or_else(|| users.clone().filter(|path| path.is_file())).ok_or_else(|| {
        let users = users.map(|path| format!(" to {}", path.display())).unwrap_or_default();
        let message = format!(
            "no engine comes with this command: copy the release's engine.wasm, version {VERSION},{users}; or pass `--engine FILE` \
             or set ${VARIABLE}; in the repository, run `cargo xtask build`"
        );
        Error::new(codes::ENGINE_LOAD, message)
    })?;
    let engine = read(&path)?;
    // One that was left over from another version would read the policy otherwise than this command does.
    let version =
        manifest::read(&engine).ok().and_then(|manifest| manifest.engine).map(|engine| engine.version);
    match version {
        Some(version) if version.to_string() == VERSION => Ok(engine.into()),
        _ => {
            let message = format!(
                "`{}` is not the engine of this command, which is version {VERSION}: replace it by that of the same release, or pass \
                 `--engine FILE`; in the repository, run `cargo xtask build`",
                path.display()
            );
            Err(Error::new(codes::ENGINE_LOAD, message))
        }
    }
}

fn beside() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let directory = program.parent()?;
    PLACES.iter().map(|place| directory.join(place)).find(|path| path.is_file())
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    input::module(path, Limits::default().module_bytes)
}
