//! The arguments of `build`.

use std::path::PathBuf;

use adjudicate_core::Error;
use clap::Args;
use semver::Version;

use crate::{
    codes,
    input::{InputFormat, Source},
    options::ReportOptions,
};

/// Build a policy module from a policy document and the engine.
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// The policy document (YAML if it ends in .yaml or .yml); `-` for standard input
    #[arg(value_name = "POLICY")]
    pub(crate) policy: Source,
    /// The file to write the module to
    ///
    /// An existing module is replaced. Any other file is not.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The engine module to put the policy into
    ///
    /// By default $ADJUDICATE_ENGINE, the engine that comes with the command, or `adjudicate/engine.wasm` in the user's data
    /// directory.
    #[arg(long, value_name = "FILE")]
    pub(crate) engine: Option<PathBuf>,
    /// The module's name, instead of the policy's
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The module's version, instead of the policy's
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(crate) module_version: Option<Version>,
    /// The description of the module, instead of the policy's
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// The license of the policy, for example MIT
    #[arg(long, value_name = "LICENSE")]
    pub(crate) license: Option<String>,
    /// The format of the policy, instead of the one that its name ends in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    #[command(flatten)]
    pub(crate) report_options: ReportOptions,
}

/// Reads a version.
fn version(text: &str) -> Result<Version, Error> {
    Version::parse(text).map_err(|_| {
        Error::new(codes::WRONG_USAGE, format!("expected a version such as `1.2.0`, found `{text}`"))
    })
}
