//! The verb `inspect`.

use adjudicate_host::{Inspection, Limits, inspect};
use serde::Serialize;

use crate::{args::Inspect, exit::Exit, failure::Failure, input, layout, output, table};

pub(crate) fn run(args: &Inspect) -> Result<Exit, Failure> {
    let inspection = inspect(&input::module(&args.module, Limits::default().module_bytes)?)?;
    output::answer(&json(&inspection), args.format, args.color, || Ok(table::inspection(&inspection)))?;
    Ok(Exit::Answered)
}

/// What the host found, in its wire form; the manifest follows as the module has it.
#[derive(Serialize)]
struct Found<'a> {
    digest: String,
    bytes: usize,
    functions: u32,
    memory: Memory,
    exports: &'a [String],
}

#[derive(Serialize)]
struct Memory {
    initial_bytes: u64,
    maximum_bytes: u64,
}

fn json(inspection: &Inspection) -> String {
    let found = Found {
        digest: inspection.digest.to_string(),
        bytes: inspection.bytes,
        functions: inspection.functions,
        memory: Memory {
            initial_bytes: inspection.memory.initial_bytes,
            maximum_bytes: inspection.memory.maximum_bytes,
        },
        exports: &inspection.exports,
    };
    let found = layout::json(&found);
    // The manifest is JSON that was checked, so it can stand where it is put, `x-` members and all.
    let members = found.strip_suffix('}').unwrap_or_default();
    format!("{members},\"manifest\":{}}}", inspection.manifest.text())
}
