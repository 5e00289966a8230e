//! The command `verify`.

use std::path::PathBuf;

use adjudicate_core::Error;
use adjudicate_sandbox::{Limits, inspect};
use adjudicate_trust::{Credentials, PublicKey, TrustAction, TrustContext, TrustPolicy};
use jiff::Timestamp;

use super::table;
use crate::{
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::{self, InputFormat, Source},
    options::ReportOptions,
    options::parse_timestamp,
    output,
};
use clap::{ArgGroup, Args};

/// Check whether a policy module is trusted, and show who signed it.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("by").required(true).args(["trust", "key"]))]
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
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    pub(crate) at: Option<Timestamp>,
    /// The format of the policy, instead of the one that its name ends in
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "key")]
    pub(crate) input_format: Option<InputFormat>,
    #[command(flatten)]
    pub(crate) report_options: ReportOptions,
}

pub(crate) fn run(args: &Verify, env: &Environment) -> Result<Exit, Failure> {
    let policy = policy(args, env)?;
    let module = input::module(&args.module, Limits::default().module_bytes, env)?;
    let credentials = Credentials::read(&module)?;
    let now = args.at.unwrap_or_else(Timestamp::now).as_millisecond();
    let verdict =
        policy.judge(&credentials, &TrustContext { action: TrustAction::Install, now, highest: None })?;
    // Signatures can be valid on a module that no host loads.
    inspect(&module)?;
    output::answer(env, &verdict.to_json(), args.report_options.format, args.report_options.color, || {
        Ok(table::verdict(&verdict))
    })?;
    Ok(Exit::Answered)
}

/// Returns the named trust policy, or a policy that trusts only the named key.
fn policy(args: &Verify, env: &Environment) -> Result<TrustPolicy, Error> {
    match (&args.trust, &args.key) {
        (Some(source), _) => {
            let document = source.part("trust policy", args.input_format, env)?;
            TrustPolicy::parse(&document).map_err(|error| error.within("trust policy"))
        }
        (None, Some(file)) => {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            Ok(TrustPolicy::of_key(&name, PublicKey::read_file(&env.path(file))?))
        }
        // The argument parser excludes this case. The default policy trusts no key.
        (None, None) => Ok(TrustPolicy::default()),
    }
}
