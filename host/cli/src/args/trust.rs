//! The verbs about who vouches for a module.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use jiff::Timestamp;

use super::{InputFormat, Printed, moment};
use crate::{exit, input::Source};

/// Draw a key pair to sign policy modules with.
#[derive(Debug, Args)]
#[command(after_help = exit::KEYGEN_HELP)]
pub(crate) struct Keygen {
    /// Where to write the keys: NAME.key, for its owner alone, and NAME.pub. Neither may be there already
    #[arg(long, value_name = "NAME")]
    pub(crate) out: PathBuf,
    /// What trust policies are to call the key, instead of the last part of NAME
    #[arg(long, value_name = "WHO")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) printed: Printed,
}

/// Sign a policy module: vouch for every byte of it. Signatures that it has stay good.
#[derive(Debug, Args)]
#[command(after_help = exit::SIGN_HELP, group = ArgGroup::new("where").required(true).args(["output", "in_place"]))]
pub(crate) struct Sign {
    /// The module
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    /// The file of the secret key
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// Where to write the signed module
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Put the signed module in the place of the module
    #[arg(long)]
    pub(crate) in_place: bool,
    #[command(flatten)]
    pub(crate) printed: Printed,
}

/// Tell whether a policy module is to be trusted, and who signed it.
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
    /// The moment to judge for instead of now, for instance 2026-11-21T19:30:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) at: Option<Timestamp>,
    /// What the policy is, whatever its name ends in
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "key")]
    pub(crate) input_format: Option<InputFormat>,
    #[command(flatten)]
    pub(crate) printed: Printed,
}
