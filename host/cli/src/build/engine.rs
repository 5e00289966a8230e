//! Finds the engine module that policies are baked into.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use adjudicate_core::{Error, VERSION};
use adjudicate_sandbox::{Limits, manifest};

use crate::{codes, directories, environment::Environment, input};

/// The environment variable with the path of the engine.
const VARIABLE: &str = "ADJUDICATE_ENGINE";

/// The engine that was put into the command when it was compiled, if one was.
#[cfg(embedded_engine)]
const EMBEDDED: Option<&[u8]> = Some(include_bytes!(env!("ADJUDICATE_EMBEDDED_ENGINE")));
#[cfg(not(embedded_engine))]
const EMBEDDED: Option<&[u8]> = None;

/// The places of a command's engine, relative to the command: its own folder, the folder that packages use, and the
/// output of `cargo xtask build`. The user's data folder comes after them.
const PLACES: [&str; 3] = ["engine.wasm", "../share/adjudicate/engine.wasm", "../artifacts/engine.wasm"];

/// Returns the bytes of the engine: the named file, the embedded engine, or an engine found next to the command.
///
/// # Errors
///
/// [`codes::UNREADABLE_INPUT`] if the named file cannot be read; [`codes::ENGINE_LOAD`] if no engine is found, or if
/// the found one has another version than the command.
pub(crate) fn find(given: Option<&Path>, env: &Environment) -> Result<Cow<'static, [u8]>, Error> {
    let named = given.map(Path::to_owned);
    let named = named.or_else(|| env.variable(VARIABLE).map(PathBuf::from));
    if let Some(path) = named {
        return read(&path, env).map(Cow::from);
    }
    if let Some(engine) = EMBEDDED {
        return Ok(engine.into());
    }
    let users = directories::data(env).map(|folder| folder.join("engine.wasm"));
    let path = next_to_command(env).or_else(|| users.clone().filter(|path| path.is_file())).ok_or_else(|| {
        let users = users.map(|path| format!(" to {}", path.display())).unwrap_or_default();
        let message = format!(
            "no engine comes with this command: copy the release's engine.wasm, version {VERSION},{users}; or pass `--engine FILE` \
             or set ${VARIABLE}; in the repository, run `cargo xtask build --engine`"
        );
        Error::new(codes::ENGINE_LOAD, message)
    })?;
    let engine = read(&path, env)?;
    // An engine that another version left behind could read the policy differently.
    let version =
        manifest::read(&engine).ok().and_then(|manifest| manifest.engine).map(|engine| engine.version);
    match version {
        Some(version) if version.to_string() == VERSION => Ok(engine.into()),
        _ => {
            let message = format!(
                "`{}` is not the engine of this command, which is version {VERSION}: replace it by that of the same release, or pass \
                 `--engine FILE`; in the repository, run `cargo xtask build --engine`",
                path.display()
            );
            Err(Error::new(codes::ENGINE_LOAD, message))
        }
    }
}

fn next_to_command(env: &Environment) -> Option<PathBuf> {
    let program = env.program().ok()?;
    let directory = program.parent()?;
    PLACES.iter().map(|place| directory.join(place)).find(|path| path.is_file())
}

fn read(path: &Path, env: &Environment) -> Result<Vec<u8>, Error> {
    input::module(path, Limits::default().module_bytes, env)
}
