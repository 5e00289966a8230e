//! The command `inspect`.

mod table;

use std::path::PathBuf;

use adjudicate_sandbox::{Inspection, Limits, inspect};
use adjudicate_trust::Credentials;
use clap::Args;
use serde::Serialize;

pub(crate) use table::signatures;

use crate::{
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input, layout,
    options::layouts,
    output::{self, Color, Format},
};

/// Show the manifest and signatures of a policy module, without running it.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The module
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    /// The format of the report
    #[arg(long, value_parser = layouts(), default_value = "json")]
    format: Format,
    /// When to use colors in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    color: Color,
}

pub(crate) fn run(args: &Inspect, env: &Environment) -> Result<Exit, Failure> {
    let module = input::module(&args.module, Limits::default().module_bytes, env)?;
    let inspection = inspect(&module)?;
    let credentials = Credentials::read(&module)?;
    output::answer(env, &json(&inspection, &credentials), args.format, args.color, || {
        Ok(table::page(&inspection, &credentials))
    })?;
    Ok(Exit::Answered)
}

/// The report without the manifest, which is added unchanged.
#[derive(Serialize)]
struct InspectReport<'a> {
    digest: String,
    content_digest: String,
    bytes: usize,
    functions: u32,
    memory: Memory,
    exports: &'a [String],
    signatures: Vec<SignatureJson>,
    /// The number of tests in the module; null if they are malformed, which does not prevent calls.
    tests: Option<usize>,
}

/// A signature that is not verified, because no key is given.
#[derive(Serialize)]
pub(crate) struct SignatureJson {
    /// The id of the key, as the signature names it; null if it names none.
    pub(crate) key: Option<String>,
}

impl SignatureJson {
    pub(crate) fn all(credentials: &Credentials) -> Vec<Self> {
        let signatures = credentials.signatures().iter();
        signatures.map(|signature| Self { key: signature.key_id.map(|id| id.to_string()) }).collect()
    }
}

#[derive(Serialize)]
struct Memory {
    initial_bytes: u64,
    maximum_bytes: u64,
}

fn json(inspection: &Inspection, credentials: &Credentials) -> String {
    let found = InspectReport {
        digest: inspection.digest.to_string(),
        content_digest: credentials.content_digest().to_string(),
        bytes: inspection.bytes,
        functions: inspection.functions,
        memory: Memory {
            initial_bytes: inspection.memory.initial_bytes,
            maximum_bytes: inspection.memory.maximum_bytes,
        },
        exports: &inspection.exports,
        signatures: SignatureJson::all(credentials),
        tests: inspection.manifest.tests().ok().map(|tests| tests.len()),
    };
    let found = layout::json(&found);
    // The manifest was parsed, so its text is valid JSON and keeps its `x-` fields.
    let members = found.strip_suffix('}').unwrap_or_default();
    format!("{members},\"manifest\":{}}}", inspection.manifest.text())
}
