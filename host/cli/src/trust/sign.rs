//! The command `sign`.

use std::{fs, path::PathBuf};

use adjudicate_core::Error;
use adjudicate_host::trust::{Credentials, SecretKey, sign};
use adjudicate_sandbox::{Limits, inspect};
use clap::{ArgGroup, Args};
use serde::Serialize;

use super::table;
use crate::{
    codes,
    exit::{self, Exit},
    failure::Failure,
    input,
    inspect::Signed,
    options::Printed,
    output, replace,
};

/// Sign every byte of a policy module. Its existing signatures stay valid.
#[derive(Debug, Args)]
#[command(after_help = exit::SIGN_HELP, group = ArgGroup::new("where").required(true).args(["output", "in_place"]))]
pub(crate) struct Sign {
    /// The module
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    /// The file of the secret key
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// The file to write the signed module to
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the module by the signed module
    #[arg(long)]
    pub(crate) in_place: bool,
    #[command(flatten)]
    pub(crate) printed: Printed,
}

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
    if replace::is_same(target, &args.key) {
        let message = format!("the signed module cannot be written over the key `{}`", args.key.display());
        return Err(Error::new(codes::WRONG_USAGE, message).into());
    }
    // With the permissions of the module that it was made of.
    let written = fs::metadata(&args.module)
        .and_then(|about| replace::file(target, Some(about.permissions()), &signed));
    written.map_err(|error| output::unwritable(target, &error))?;
    let report = Report {
        file: target.display().to_string(),
        digest: credentials.digest().to_string(),
        content_digest: credentials.content_digest().to_string(),
        key: key.public().id().to_string(),
        signatures: Signed::all(&credentials),
    };
    args.printed.print(&report, table::signed)
}
