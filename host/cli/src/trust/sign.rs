//! The command `sign`.

use std::{fs, path::PathBuf};

use adjudicate_core::Error;
use adjudicate_sandbox::{Limits, inspect};
use adjudicate_trust::{Credentials, SecretKey, sign};
use clap::{ArgGroup, Args};

use super::{report::SignReport, table};
use crate::{
    codes, environment::Environment, exit::Exit, failure::Failure, input, inspect::SignatureJson,
    options::ReportOptions, output, replace,
};

/// Sign a policy module; existing signatures stay valid.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("where").required(true).args(["output", "in_place"]))]
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
    pub(crate) report_options: ReportOptions,
}

pub(crate) fn run(args: &Sign, env: &Environment) -> Result<Exit, Failure> {
    let key = SecretKey::read_file(&env.path(&args.key))?;
    let module = input::module(&args.module, Limits::default().module_bytes, env)?;
    let signed = sign(&module, &key)?;
    // A module that no host loads must not be signed.
    inspect(&signed)?;
    let credentials = Credentials::read(&signed)?;
    let target = args.output.as_ref().unwrap_or(&args.module);
    if replace::is_same(&env.path(target), &env.path(&args.key)) {
        let message = format!("the signed module cannot be written over the key `{}`", args.key.display());
        return Err(Error::new(codes::WRONG_USAGE, message).into());
    }
    // The signed module gets the permissions of the original.
    let written = fs::metadata(env.path(&args.module))
        .and_then(|about| replace::file(&env.path(target), Some(about.permissions()), &signed));
    written.map_err(|error| output::unwritable(target, error))?;
    let report = SignReport {
        file: target.display().to_string(),
        digest: credentials.digest(),
        content_digest: credentials.content_digest(),
        key: key.public().id(),
        signatures: SignatureJson::all(&credentials),
    };
    args.report_options.print(&report, table::signed, env)
}
