//! The command `pack`: makes a policy module from compiled WebAssembly.
//!
//! It is for languages that cannot write custom sections. The command appends the manifest and the tests, loads the module as a host
//! does, and runs the tests. It writes only a module that passes.

use std::path::PathBuf;

use adjudicate_core::{Error, document::Describe};
use adjudicate_sandbox::{
    Digest, Limits,
    manifest::{self, ModuleVersion},
};
use clap::{ArgGroup, Args};
use serde::Serialize;

use crate::{
    codes, compiler,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::{self, Source},
    layout,
    options::ReportOptions,
    output, replace,
    table::{BOLD, Line, PLAIN, Page},
};

/// Make a policy module from compiled WebAssembly, and test it.
///
/// The command appends the manifest, loads the module as a host does, and runs its tests.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("cases").args(["tests", "try_tests"]))]
pub(crate) struct Pack {
    /// The module without a manifest; WebAssembly text if it ends in .wat
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,
    /// The manifest, JSON (YAML if it ends in .yaml or .yml)
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Source,
    /// Tests to put into the module: a list of `{name, input, expect}`
    ///
    /// Every installation runs them again.
    #[arg(long, value_name = "FILE")]
    pub(crate) tests: Option<Source>,
    /// Tests to run now and leave out of the module
    #[arg(long, value_name = "FILE")]
    pub(crate) try_tests: Option<Source>,
    /// The file to write the module to
    ///
    /// An existing module is replaced. Any other file is not.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) report_options: ReportOptions,
}

/// The report of a packed module.
#[derive(Describe, Serialize)]
pub(crate) struct PackReport {
    /// The file of the module, as the arguments name it.
    file: String,
    /// The name in the manifest.
    name: String,
    /// The version in the manifest.
    #[document(described = "ModuleVersion")]
    version: String,
    /// The digest of the module.
    digest: Digest,
    /// The size of the module in bytes.
    bytes: usize,
    /// The number of tests that passed.
    tests: usize,
}

pub(crate) fn run(args: &Pack, env: &Environment) -> Result<Exit, Failure> {
    // The output may replace the input module.
    let documents = [Some(&args.manifest), args.tests.as_ref(), args.try_tests.as_ref()];
    let files = documents.into_iter().flatten().filter_map(|source| match source {
        Source::File(path) => Some(path.as_path()),
        Source::Stdin => None,
    });
    replace::check_module_target(&args.output, files, env)?;
    let limits = Limits::default();
    let code = assembled(args, limits.module_bytes, env)?;
    let label = json(&args.manifest, "manifest", env)?;
    let bare = manifest::append(&code, &label)?;
    // Tests to leave out run in another module with the same code.
    let tested = match args.tests.as_ref().or(args.try_tests.as_ref()) {
        Some(source) => manifest::append(&code, &with_tests(&label, &json(source, "tests", env)?))?,
        None => bare.clone(),
    };
    let tests = compiler::host(limits, env)?.load(&tested)?.pass_tests()?;
    let module = if args.try_tests.is_some() { bare } else { tested };
    let read = manifest::read(&module)?;
    replace::file(&env.path(&args.output), None, &module)
        .map_err(|error| output::unwritable(&args.output, error))?;
    let report = PackReport {
        file: args.output.display().to_string(),
        name: read.name.to_string(),
        version: read.version.to_string(),
        digest: Digest::sha256(&module),
        bytes: module.len(),
        tests,
    };
    args.report_options.print(&report, page, env)
}

/// Reads the module; assembles it from WebAssembly text.
fn assembled(args: &Pack, limit: usize, env: &Environment) -> Result<Vec<u8>, Error> {
    let bytes = input::module(&args.module, limit, env)?;
    if !args.module.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wat")) {
        return Ok(bytes);
    }
    wat::parse_bytes(&bytes).map(|module| without_names(&module)).map_err(|mut error| {
        error.set_path(&args.module);
        // The first lines have the place and the message; an excerpt follows.
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().map(str::trim).take(2).collect();
        let message = format!("the text is no module: {}", lines.join(" "));
        Error::new(codes::MODULE_MALFORMED, message).with_source(error)
    })
}

/// Returns the module without the section `name`, which the assembler adds for debuggers. A malformed module is returned unchanged; its
/// loading reports the error.
fn without_names(module: &[u8]) -> Vec<u8> {
    let mut kept = module.get(..8).unwrap_or(module).to_vec();
    let mut rest = module.get(8..).unwrap_or_default();
    while let Some((id, after)) = rest.split_first() {
        let Some((length, head)) = leb128(after) else { return module.to_vec() };
        let Some((section, next)) = rest.split_at_checked(1 + head + length) else { return module.to_vec() };
        if !(*id == 0 && section.get(1 + head..).is_some_and(|content| content.starts_with(b"\x04name"))) {
            kept.extend_from_slice(section);
        }
        rest = next;
    }
    kept
}

/// Reads an unsigned number. Returns it with its length in bytes.
fn leb128(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (place, byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((value, place + 1));
        }
    }
    None
}

/// Reads a document as JSON without insignificant white space. Errors name the document.
fn json(source: &Source, name: &str, env: &Environment) -> Result<String, Error> {
    let text = source.part(name, None, env)?;
    adjudicate_core::json::read(&text, adjudicate_core::json::ReadLimits::DOCUMENT)
        .map_err(|error| error.within(name))?;
    Ok(layout::compact(&String::from_utf8_lossy(&text)))
}

/// Returns the manifest with the tests. A manifest that already has tests is rejected when it is appended.
fn with_tests(manifest: &str, tests: &str) -> String {
    match manifest.strip_suffix('}') {
        Some(members) => format!("{members},\"x-tests\":{tests}}}"),
        None => manifest.to_owned(),
    }
}

/// Returns the table of a packed module.
fn page(report: &PackReport) -> Page {
    let mut page = Page::default();
    page.push(Line::at(0).text("PACKED", BOLD).text(&report.file, PLAIN));
    page.gap();
    page.row("module", &format!("{} {}", report.name, report.version));
    page.row("digest", &report.digest.to_string());
    page.row("bytes", &report.bytes.to_string());
    page.row("tests", &format!("{} passed", report.tests));
    page
}
