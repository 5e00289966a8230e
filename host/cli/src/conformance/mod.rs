//! The command `conformance`: checks a module against the interface, or writes the corpus that hosts are checked with.

mod export;
mod junit;
mod text;

use std::path::PathBuf;

use adjudicate_sandbox::Limits;

use crate::{
    compiler,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input, layout,
    output::{self, Color, ReportFormat},
    replace,
};
use clap::Args;

/// Check a policy module against the interface, requirement by requirement.
#[derive(Debug, Args)]
pub(crate) struct Conformance {
    /// The module
    #[arg(value_name = "MODULE", required_unless_present = "export", conflicts_with = "export")]
    pub(crate) module: Option<PathBuf>,
    /// Write the modules that test hosts, and cases.json, to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) export: Option<PathBuf>,
    /// Write a JUnit report for CI to this file
    #[arg(long, value_name = "FILE", conflicts_with = "export")]
    pub(crate) junit: Option<PathBuf>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t, conflicts_with = "export")]
    pub(crate) format: ReportFormat,
    /// When to use colors
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, conflicts_with = "export")]
    pub(crate) color: Color,
}

pub(crate) fn run(args: &Conformance, env: &Environment) -> Result<Exit, Failure> {
    match (&args.module, &args.export) {
        (Some(module), _) => {
            let bytes = input::module(module, Limits::default().module_bytes, env)?;
            let report = adjudicate_conformance::check(&compiler::host(Limits::default(), env)?, &bytes)?;
            let name = module.display().to_string();
            output::report(
                env,
                args.format,
                args.color,
                || layout::json(&report),
                |width| text::page(&name, &report).render(width),
            )?;
            if let Some(path) = &args.junit {
                replace::report(path, &junit::document(&name, &report), env)?;
            }
            Ok(if report.conforms { Exit::Answered } else { Exit::Module })
        }
        (None, Some(folder)) => {
            let count = export::write(folder, env)?;
            output::line(env, &format!("{count} modules and cases.json written to {}", folder.display()))?;
            Ok(Exit::Answered)
        }
        // The command line asks for one of them.
        (None, None) => Ok(Exit::Usage),
    }
}
