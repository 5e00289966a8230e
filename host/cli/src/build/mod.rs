//! The verb `build`: a policy document becomes a module.
//!
//! Owns where the engine comes from. Baking is the host's.

mod args;
mod engine;
mod table;

pub(crate) use args::Build;

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Inspection, Limits, ModuleLabel, inspect};
use serde::Serialize;

use crate::{codes, compiler, exit::Exit, failure::Failure, input::Source, output, replace};

/// What was made.
#[derive(Serialize)]
struct BuildReport {
    file: String,
    digest: String,
    bytes: usize,
    name: String,
    version: String,
    policy: BuiltPolicy,
    /// How many tests it brings; all of them passed.
    tests: usize,
    engine: BuiltEngine,
}

/// The policy in it.
#[derive(Serialize)]
struct BuiltPolicy {
    name: String,
    version: String,
    /// Of the document as canonical JSON.
    digest: String,
    rules: usize,
}

/// The engine that it was baked into.
#[derive(Serialize)]
struct BuiltEngine {
    digest: String,
    bytes: usize,
}

pub(crate) fn run(args: &Build) -> Result<Exit, Failure> {
    let policy = match &args.policy {
        Source::File(path) => Some(path.as_path()),
        Source::Stdin => None,
    };
    replace::admit_module(&args.output, policy.into_iter().chain(args.engine.as_deref()))?;
    let document = args.policy.document(args.input_format)?;
    let engine = engine::find(args.engine.as_deref())?;
    let label = ModuleLabel {
        name: args.name.clone(),
        version: args.module_version.clone(),
        description: args.description.clone(),
        license: args.license.clone(),
    };
    let module = compiler::host(Limits::default())?.bake(&engine, &document, &label)?;
    replace::file(&args.output, None, &module).map_err(|error| output::unwritable(&args.output, &error))?;
    let report = report(args, &inspect(&module)?, &engine)?;
    args.printed.print(&report, table::page)
}

fn report(args: &Build, module: &Inspection, engine: &[u8]) -> Result<BuildReport, Error> {
    let manifest = &module.manifest;
    let missing = || Error::new(codes::HOST_FAULT, "the module has no policy in its manifest");
    let policy = manifest.policy.as_ref().ok_or_else(missing)?;
    Ok(BuildReport {
        file: args.output.display().to_string(),
        digest: module.digest.to_string(),
        bytes: module.bytes,
        name: manifest.name.clone(),
        version: manifest.version.to_string(),
        policy: BuiltPolicy {
            name: policy.name.clone(),
            version: policy.version.to_string(),
            digest: policy.digest.to_string(),
            rules: policy.rules.len(),
        },
        tests: manifest.tests()?.len(),
        engine: BuiltEngine { digest: Digest::of(engine).to_string(), bytes: engine.len() },
    })
}
