//! The verbs that make policy modules.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::Printed;
use crate::{exit, input::Source, new::Language};

/// Begin a policy module: a project that builds, tests and installs with the commands that are printed.
#[derive(Debug, Args)]
#[command(after_help = exit::NEW_HELP)]
pub(crate) struct New {
    /// What to write it in
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) lang: Language,
    /// The name of the module, and of the folder to make: lower-case letters and digits, in parts joined by `-`
    #[arg(value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: String,
}

/// Make a policy module of what a compiler made: append the manifest, load it as a host does, run its tests.
#[derive(Debug, Args)]
#[command(after_help = exit::PACK_HELP, group = ArgGroup::new("cases").args(["tests", "try_tests"]))]
pub(crate) struct Pack {
    /// The module without a manifest; WebAssembly text if it ends in .wat
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    /// The manifest, JSON (YAML if it ends in .yaml or .yml)
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Source,
    /// Tests that the module is to bring, a list of `{name, input, expect}`: whoever installs it runs them again
    #[arg(long, value_name = "FILE")]
    pub(crate) tests: Option<Source>,
    /// Tests to run now and leave out of the module
    #[arg(long, value_name = "FILE")]
    pub(crate) try_tests: Option<Source>,
    /// Where to write the module. A module that is there is replaced, any other file is not
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) printed: Printed,
}
