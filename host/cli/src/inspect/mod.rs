//! The verb `inspect`.

mod table;

use std::path::PathBuf;

use adjudicate_host::trust::Credentials;
use adjudicate_sandbox::{Inspection, Limits, inspect};
use clap::Args;
use serde::Serialize;

pub(crate) use table::signatures;

use crate::{
    exit::{self, Exit},
    failure::Failure,
    input, layout,
    options::layouts,
    output::{self, Color, Format},
};

/// Tell what a policy module is, without compiling or running it.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Inspect {
    /// The module
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    /// How to print what is found
    #[arg(long, value_parser = layouts(), default_value = "json")]
    format: Format,
    /// When to use colours in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    color: Color,
}

pub(crate) fn run(args: &Inspect) -> Result<Exit, Failure> {
    let module = input::module(&args.module, Limits::default().module_bytes)?;
    let inspection = inspect(&module)?;
    let credentials = Credentials::read(&module)?;
    output::answer(&json(&inspection, &credentials), args.format, args.color, || {
        Ok(table::page(&inspection, &credentials))
    })?;
    Ok(Exit::Answered)
}

/// What the host found, in its wire form; the manifest follows as the module has it.
#[derive(Serialize)]
struct Found<'a> {
    digest: String,
    content_digest: String,
    bytes: usize,
    functions: u32,
    memory: Memory,
    exports: &'a [String],
    signatures: Vec<Signed>,
    /// How many tests it brings; null if they are malformed, which keeps nobody from evaluating.
    tests: Option<usize>,
}

/// A signature, as far as can be said without a key to verify it with.
#[derive(Serialize)]
pub(crate) struct Signed {
    /// The id of the key that is said to have signed; null if none is said.
    pub(crate) key: Option<String>,
}

impl Signed {
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
    let found = Found {
        digest: inspection.digest.to_string(),
        content_digest: credentials.content_digest().to_string(),
        bytes: inspection.bytes,
        functions: inspection.functions,
        memory: Memory {
            initial_bytes: inspection.memory.initial_bytes,
            maximum_bytes: inspection.memory.maximum_bytes,
        },
        exports: &inspection.exports,
        signatures: Signed::all(credentials),
        tests: inspection.manifest.tests().ok().map(|tests| tests.len()),
    };
    let found = layout::json(&found);
    // The manifest is JSON that was checked, so it can stand where it is put, `x-` members and all.
    let members = found.strip_suffix('}').unwrap_or_default();
    format!("{members},\"manifest\":{}}}", inspection.manifest.text())
}
