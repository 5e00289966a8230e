//! The command `inspect`.

mod table;

use std::path::PathBuf;

use adjudicate_core::document::Describe;
use adjudicate_sandbox::{Digest, Inspection, Limits, Manifest, inspect};
use adjudicate_trust::{Credentials, KeyId};
use clap::Args;
use serde::Serialize;

pub(crate) use table::signatures;

use crate::{
    environment::Environment, exit::Exit, failure::Failure, input, layout, options::ReportOptions, output,
};

/// Show the manifest and signatures of a policy module, without running it.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The module
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    #[command(flatten)]
    report_options: ReportOptions,
}

pub(crate) fn run(args: &Inspect, env: &Environment) -> Result<Exit, Failure> {
    let module = input::module(&args.module, Limits::default().module_bytes, env)?;
    let inspection = inspect(&module)?;
    let credentials = Credentials::read(&module)?;
    let ReportOptions { format, color } = args.report_options;
    output::answer(env, &json(&inspection, &credentials), format, color, || {
        Ok(table::page(&inspection, &credentials))
    })?;
    Ok(Exit::Answered)
}

/// The report of an inspection.
#[derive(Describe, Serialize)]
pub(crate) struct InspectReport<'a> {
    /// The digest of the module.
    digest: Digest,
    /// The digest that its signatures cover.
    content_digest: Digest,
    /// The size of the module in bytes.
    bytes: usize,
    /// The number of its functions.
    functions: u32,
    /// Its memory.
    memory: Memory,
    /// The names of its exports, in their order.
    exports: &'a [String],
    /// Its signatures, in their order. None of them is verified.
    signatures: Vec<SignatureJson>,
    /// The number of tests in the module; null if they are malformed, which does not prevent calls.
    tests: Option<usize>,
    /// Its manifest, as it stands in the module.
    // `json` adds its text unchanged.
    #[serde(skip_serializing)]
    manifest: &'a Manifest,
}

/// A signature that is not verified, because no key is given.
#[derive(Describe, Serialize)]
#[document(name = "Signature")]
pub(crate) struct SignatureJson {
    /// The id of the key, as the signature names it; null if it names none.
    pub(crate) key: Option<KeyId>,
}

impl SignatureJson {
    pub(crate) fn all(credentials: &Credentials) -> Vec<Self> {
        credentials.signatures().iter().map(|signature| Self { key: signature.key_id }).collect()
    }
}

/// The memory of a module.
#[derive(Describe, Serialize)]
struct Memory {
    /// The bytes at the start of a call.
    initial_bytes: u64,
    /// The most bytes that the module declares.
    maximum_bytes: u64,
}

fn json(inspection: &Inspection, credentials: &Credentials) -> String {
    let found = InspectReport {
        digest: inspection.digest,
        content_digest: credentials.content_digest(),
        bytes: inspection.bytes,
        functions: inspection.functions,
        memory: Memory {
            initial_bytes: inspection.memory.initial_bytes,
            maximum_bytes: inspection.memory.maximum_bytes,
        },
        exports: &inspection.exports,
        signatures: SignatureJson::all(credentials),
        tests: inspection.manifest.tests().ok().map(|tests| tests.len()),
        manifest: &inspection.manifest,
    };
    let text = layout::json(&found);
    // The manifest was parsed, so its text is valid JSON and keeps its `x-` fields.
    let members = text.strip_suffix('}').unwrap_or_default();
    format!("{members},\"manifest\":{}}}", found.manifest.text())
}
