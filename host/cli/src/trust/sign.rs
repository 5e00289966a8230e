//! The verb `sign`.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use adjudicate_core::{Error, ErrorCode};
use adjudicate_host::{
    Limits, inspect,
    trust::{Credentials, SecretKey, sign},
};
use serde::Serialize;

use crate::{args::Sign, exit::Exit, failure::Failure, input, inspect::Signed, layout, output, table};

/// What was signed.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) file: String,
    pub(crate) digest: String,
    pub(crate) content_digest: String,
    /// The id of the key that signed.
    pub(crate) key: String,
    pub(crate) signatures: Vec<Signed>,
}

pub(crate) fn run(args: &Sign) -> Result<Exit, Failure> {
    let key = SecretKey::read_file(&args.key)?;
    let module = input::module(&args.module, Limits::default().module_bytes)?;
    let signed = sign(&module, &key)?;
    // Nobody should vouch for what no host would load.
    inspect(&signed)?;
    let credentials = Credentials::read(&signed)?;
    let target = args.output.as_ref().unwrap_or(&args.module);
    if is_same(target, &args.key) {
        let message = format!("the signed module cannot be written over the key `{}`", args.key.display());
        return Err(Error::new(ErrorCode::WrongUsage, message).into());
    }
    replace(target, &args.module, &signed).map_err(|error| output::unwritable(target, &error))?;
    let report = Report {
        file: target.display().to_string(),
        digest: credentials.digest().to_string(),
        content_digest: credentials.content_digest().to_string(),
        key: key.public().id().to_string(),
        signatures: Signed::all(&credentials),
    };
    output::answer(&layout::json(&report), args.printed.format, args.printed.color, || {
        Ok(table::signed(&report))
    })?;
    Ok(Exit::Answered)
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

/// Puts the bytes in the file's place, whole or not at all, with the permissions of the module that they were made of. A
/// symbolic link stays one, and what it points to is replaced.
fn replace(target: &Path, module: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match fs::canonicalize(target) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => target.to_owned(),
        Err(error) => return Err(error),
    };
    if target.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let permissions = fs::metadata(module)?.permissions();
    let temporary = beside(&target)?;
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| file.set_permissions(permissions))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, &target));
    written.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// A new name in the same directory, so that renaming is one step.
fn beside(target: &Path) -> io::Result<PathBuf> {
    let mut number = [0; 8];
    getrandom::fill(&mut number)?;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut unique = std::ffi::OsString::from(".");
    unique.push(name);
    unique.push(format!(".{:016x}.new", u64::from_le_bytes(number)));
    Ok(target.with_file_name(unique))
}
