//! The verb `pack`: what a compiler made, made a policy module that a host takes.
//!
//! Languages that cannot write custom sections leave the manifest to this: it is appended, with the module's tests if it is to
//! bring them, and the module is then loaded as a host loads it and its tests are run. What does not pass is not written.

use std::path::PathBuf;

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Limits, manifest};
use clap::{ArgGroup, Args};
use serde::Serialize;

use crate::{
    codes, compiler,
    exit::{self, Exit},
    failure::Failure,
    input::{self, Source},
    layout,
    options::Printed,
    output, replace,
    table::{BOLD, Line, PLAIN, Page},
};

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

/// What was packed.
#[derive(Serialize)]
struct Packed {
    file: String,
    name: String,
    version: String,
    digest: String,
    bytes: usize,
    /// How many tests passed.
    tests: usize,
}

pub(crate) fn run(args: &Pack) -> Result<Exit, Failure> {
    // Over the module itself it may be written: that is one, too.
    let documents = [Some(&args.manifest), args.tests.as_ref(), args.try_tests.as_ref()];
    let files = documents.into_iter().flatten().filter_map(|source| match source {
        Source::File(path) => Some(path.as_path()),
        Source::Stdin => None,
    });
    replace::admit_module(&args.output, files)?;
    let limits = Limits::default();
    let code = assembled(args, limits.module_bytes)?;
    let label = json(&args.manifest, "manifest")?;
    let bare = manifest::append(&code, &label)?;
    // Tests that are only tried stand in a module of their own, whose code is the same.
    let tested = match args.tests.as_ref().or(args.try_tests.as_ref()) {
        Some(source) => manifest::append(&code, &with_tests(&label, &json(source, "tests")?))?,
        None => bare.clone(),
    };
    let tests = compiler::host(limits)?.load(&tested)?.pass_tests()?;
    let module = if args.try_tests.is_some() { bare } else { tested };
    let read = manifest::read(&module)?;
    replace::file(&args.output, None, &module).map_err(|error| output::unwritable(&args.output, &error))?;
    let report = Packed {
        file: args.output.display().to_string(),
        name: read.name.clone(),
        version: read.version.to_string(),
        digest: Digest::of(&module).to_string(),
        bytes: module.len(),
        tests,
    };
    args.printed.print(&report, page)
}

/// The module as a compiler made it, or as its text says.
fn assembled(args: &Pack, limit: usize) -> Result<Vec<u8>, Error> {
    let bytes = input::module(&args.module, limit)?;
    if !args.module.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wat")) {
        return Ok(bytes);
    }
    wat::parse_bytes(&bytes).map(|module| without_names(&module)).map_err(|mut error| {
        error.set_path(&args.module);
        // The place and what is wrong there stand in the first lines, a picture of it below.
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().map(str::trim).take(2).collect();
        Error::new(codes::MODULE_MALFORMED, format!("the text is no module: {}", lines.join(" ")))
    })
}

/// The module without the names of its functions, which the assembler keeps for debuggers: `name` is the one custom section that it
/// adds to what the text says. A module that cannot be walked stays as it is; it is told so when it is loaded.
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

/// An unsigned number, and how many bytes it takes.
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

/// A document as JSON without insignificant white space. What is wrong with its text, errors say of it by name.
fn json(source: &Source, name: &str) -> Result<String, Error> {
    let text = source.part(name, None)?;
    adjudicate_core::json::read(&text, adjudicate_core::json::Limits::DOCUMENT)
        .map_err(|error| error.within(name))?;
    Ok(layout::compact(&String::from_utf8_lossy(&text)))
}

/// The manifest with the tests that the module is to bring. One that has some already is refused when it is appended.
fn with_tests(manifest: &str, tests: &str) -> String {
    match manifest.strip_suffix('}') {
        Some(members) => format!("{members},\"x-tests\":{tests}}}"),
        None => manifest.to_owned(),
    }
}

/// The page of a module that was packed.
fn page(report: &Packed) -> Page {
    let mut page = Page::default();
    page.push(Line::at(0).text("PACKED", BOLD).text(&report.file, PLAIN));
    page.gap();
    page.row("module", &format!("{} {}", report.name, report.version));
    page.row("digest", &report.digest);
    page.row("bytes", &report.bytes.to_string());
    page.row("tests", &format!("{} passed", report.tests));
    page
}
