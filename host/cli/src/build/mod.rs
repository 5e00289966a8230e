//! The command `build`: makes a module from a policy document and the engine.
//!
//! This module finds the engine. The sandbox bakes the policy into it.

mod args;
mod engine;
mod table;

pub(crate) use args::Build;
pub(crate) use engine::find as engine;

use adjudicate_core::{Error, document::Describe};
use adjudicate_sandbox::{Digest, Inspection, Limits, ModuleLabel, inspect, manifest::ModuleVersion};
use serde::Serialize;

use crate::{
    codes, compiler, environment::Environment, exit::Exit, failure::Failure, input::Source, output, replace,
};

/// The report of a built module.
#[derive(Describe, Serialize)]
pub(crate) struct BuildReport {
    /// The file of the module, as the arguments name it.
    file: String,
    /// The digest of the module.
    digest: Digest,
    /// The size of the module in bytes.
    bytes: usize,
    /// The name in the manifest.
    name: String,
    /// The version in the manifest.
    #[document(described = "ModuleVersion")]
    version: String,
    /// The policy in the module.
    policy: BuiltPolicy,
    /// The number of tests in the module. All of them passed.
    tests: usize,
    /// The engine in the module.
    engine: BuiltEngine,
}

/// The policy in a built module.
#[derive(Describe, Serialize)]
struct BuiltPolicy {
    /// The name in the document.
    name: String,
    /// The version in the document.
    #[document(described = "ModuleVersion")]
    version: String,
    /// The digest of the document as canonical JSON.
    digest: Digest,
    /// The number of rules.
    rules: usize,
}

/// The engine in a built module.
#[derive(Describe, Serialize)]
struct BuiltEngine {
    /// The digest of the engine's module.
    digest: Digest,
    /// The size of the engine's module in bytes.
    bytes: usize,
}

pub(crate) fn run(args: &Build, env: &Environment) -> Result<Exit, Failure> {
    let policy = match &args.policy {
        Source::File(path) => Some(path.as_path()),
        Source::Stdin => None,
    };
    replace::check_module_target(&args.output, policy.into_iter().chain(args.engine.as_deref()), env)?;
    let document = args.policy.document(args.input_format, env)?;
    let engine = engine::find(args.engine.as_deref(), env)?;
    let label = ModuleLabel {
        name: args.name.clone(),
        version: args.module_version.clone(),
        description: args.description.clone(),
        license: args.license.clone(),
    };
    let module = compiler::host(Limits::default(), env)?.bake(&engine, &document, &label)?;
    replace::file(&env.path(&args.output), None, &module)
        .map_err(|error| output::unwritable(&args.output, error))?;
    let report = report(args, &inspect(&module)?, &engine)?;
    args.report_options.print(&report, table::page, env)
}

fn report(args: &Build, module: &Inspection, engine: &[u8]) -> Result<BuildReport, Error> {
    let manifest = &module.manifest;
    let missing = || Error::new(codes::HOST_FAULT, "the module has no policy in its manifest");
    let policy = manifest.policy.as_ref().ok_or_else(missing)?;
    Ok(BuildReport {
        file: args.output.display().to_string(),
        digest: module.digest,
        bytes: module.bytes,
        name: manifest.name.to_string(),
        version: manifest.version.to_string(),
        policy: BuiltPolicy {
            name: policy.name.0.clone(),
            version: policy.version.to_string(),
            digest: policy.digest,
            rules: policy.rules.len(),
        },
        tests: manifest.tests()?.len(),
        engine: BuiltEngine { digest: Digest::sha256(engine), bytes: engine.len() },
    })
}
