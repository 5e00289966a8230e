//! The command `verify`.

use std::path::PathBuf;

use adjudicate_core::Error;
use adjudicate_host::trust::{Credentials, Moment, Occasion, PublicKey, TrustPolicy};
use adjudicate_sandbox::{Limits, inspect};
use jiff::Timestamp;

use super::table;
use crate::{
    exit::{self, Exit},
    failure::Failure,
    input::{self, InputFormat, Source},
    options::Printed,
    options::moment,
    output,
};
use clap::{ArgGroup, Args};

/// Check whether a policy module is trusted, and show who signed it.
#[derive(Debug, Args)]
#[command(after_help = exit::VERIFY_HELP, group = ArgGroup::new("by").required(true).args(["trust", "key"]))]
pub(crate) struct Verify {
    /// The module
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    /// A trust policy (YAML if it ends in .yaml or .yml); `-` for standard input
    #[arg(long, value_name = "POLICY")]
    pub(crate) trust: Option<Source>,
    /// The file of a public key that must have signed, instead of a policy
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// The time to judge for, instead of now, for example 2026-11-21T19:30:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) at: Option<Timestamp>,
    /// The format of the policy, instead of the one that its name ends in
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "key")]
    pub(crate) input_format: Option<InputFormat>,
    #[command(flatten)]
    pub(crate) printed: Printed,
}

pub(crate) fn run(args: &Verify) -> Result<Exit, Failure> {
    let policy = policy(args)?;
    let module = input::module(&args.module, Limits::default().module_bytes)?;
    let credentials = Credentials::read(&module)?;
    let now = args.at.unwrap_or_else(Timestamp::now).as_millisecond();
    let verdict = policy.judge(&credentials, &Occasion { moment: Moment::Install, now, highest: None })?;
    // A module that is trusted and that no host would load is not a good one.
    inspect(&module)?;
    output::answer(&verdict.to_json(), args.printed.format, args.printed.color, || {
        Ok(table::verdict(&verdict))
    })?;
    Ok(Exit::Answered)
}

/// The policy that was named, or that of the key that was.
fn policy(args: &Verify) -> Result<TrustPolicy, Error> {
    match (&args.trust, &args.key) {
        (Some(source), _) => {
            let document = source.part("trust policy", args.input_format)?;
            TrustPolicy::parse(&document).map_err(|error| error.within("trust policy"))
        }
        (None, Some(file)) => {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            Ok(TrustPolicy::of_key(&name, PublicKey::read_file(file)?))
        }
        // The command line asks for one of them; without either nobody is trusted.
        (None, None) => Ok(TrustPolicy::default()),
    }
}
