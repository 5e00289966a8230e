//! Properties of `engine.wasm` before it runs. This module reads its bytes with a parser of its own.

use std::{env, fs};

use adjudicate_core::{Operation, VERSION, document::definitions, schemas};
use adjudicate_tests::{artifacts, workspace_root};

use crate::json::Json;

/// The name of the custom section that holds the manifest.
const MANIFEST: &str = "adjudicate.manifest";
/// The functions of policy ABI 1 that every module must have.
const FUNCTIONS: [&str; 3] = ["adjudicate_abi_1", "adjudicate_alloc", "adjudicate_call"];

/// Numbers of the sections of a module, and kinds of exports, in the binary format.
mod format {
    pub(super) const CUSTOM: u8 = 0;
    pub(super) const IMPORT: u8 = 2;
    pub(super) const MEMORY: u8 = 5;
    pub(super) const EXPORT: u8 = 7;
    pub(super) const START: u8 = 8;
    pub(super) const FUNCTION_EXPORT: u8 = 0;
    pub(super) const MEMORY_EXPORT: u8 = 2;
    /// The bit in a memory's flags that marks a maximum.
    pub(super) const HAS_MAXIMUM: u8 = 1;
}

/// The bytes of the engine module.
pub(crate) fn bytes() -> Vec<u8> {
    fs::read(artifacts::engine()).expect("the engine module can be read")
}

#[test]
fn it_imports_nothing_and_starts_nothing() {
    for (number, what) in [(format::IMPORT, "import"), (format::START, "start function")] {
        let found = sections(&bytes()).into_iter().find(|(section, _)| *section == number);
        // An empty section of imports would be odd, but valid.
        let count = found.map_or(0, |(_, content)| Reader(&content).number());
        assert_eq!(count, 0, "the engine module has an {what}");
    }
}

#[test]
fn it_has_no_descriptions_of_documents() {
    // A search in text is fast without optimisation, too.
    let module = String::from_utf8_lossy(&bytes()).into_owned();
    let mut texts = 0;
    for definition in schemas::all().flat_map(|row| definitions(&(row.describe)())) {
        if definition.about.len() > 20 {
            let is_there = module.contains(definition.about);
            assert!(!is_there, "the engine module has the description of `{}`", definition.name);
            texts += 1;
        }
    }
    assert!(texts > 100, "{texts}");
}

#[test]
fn it_exports_the_interface_and_one_memory_with_a_maximum() {
    let bytes = bytes();
    let exports = exports(&bytes);
    for function in FUNCTIONS {
        assert!(exports.contains(&(function.to_owned(), format::FUNCTION_EXPORT)), "{function}: {exports:?}");
    }
    assert!(exports.contains(&("memory".to_owned(), format::MEMORY_EXPORT)), "{exports:?}");

    let memories = section(&bytes, format::MEMORY);
    let mut reader = Reader(&memories);
    assert_eq!(reader.number(), 1, "one memory");
    assert_eq!(reader.byte() & format::HAS_MAXIMUM, format::HAS_MAXIMUM, "the memory declares a maximum");
    let (initial, maximum) = (reader.number(), reader.number());
    assert!(initial <= maximum, "{initial} to {maximum} pages");
}

#[test]
fn its_manifest_agrees_with_the_core() {
    let bytes = bytes();
    let manifests: Vec<_> = sections(&bytes)
        .into_iter()
        .filter(|(number, _)| *number == format::CUSTOM)
        .filter_map(|(_, content)| {
            let mut reader = Reader(&content);
            (reader.text() == MANIFEST).then(|| reader.0.to_vec())
        })
        .collect();
    assert_eq!(manifests.len(), 1, "one manifest");
    let manifest = Json::parse(&manifests[0]).expect("the manifest is JSON");

    assert_eq!(manifest.member("abi"), Some(&Json::Integer(1)));
    assert_eq!(manifest.member("version").and_then(Json::as_text), Some(VERSION));
    assert_eq!(manifest.at(&["engine", "version"]).and_then(Json::as_text), Some(VERSION));
    let operations = manifest.member("operations").expect("it lists operations").items();
    let operations: Vec<_> = operations.iter().filter_map(Json::as_text).collect();
    assert_eq!(operations, Operation::ALL.iter().map(|operation| operation.name()).collect::<Vec<_>>());
}

#[test]
fn it_names_no_folder_of_the_machine_that_built_it() {
    let bytes = bytes();
    let home = env::var("HOME").unwrap_or_default();
    let root = workspace_root().display().to_string();
    for folder in [root.as_str(), &format!("{home}/."), ".cargo/registry"] {
        let found = bytes.windows(folder.len()).any(|window| window == folder.as_bytes());
        assert!(!found, "the engine module names `{folder}`");
    }
}

/// Names and kinds of all exports.
fn exports(module: &[u8]) -> Vec<(String, u8)> {
    let content = section(module, format::EXPORT);
    let mut reader = Reader(&content);
    (0..reader.number())
        .map(|_| {
            let export = (reader.text(), reader.byte());
            reader.number();
            export
        })
        .collect()
}

fn section(module: &[u8], number: u8) -> Vec<u8> {
    let found = sections(module).into_iter().find(|(section, _)| *section == number);
    found.unwrap_or_else(|| panic!("the module has a section {number}")).1
}

/// Number and content of all sections.
fn sections(module: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut reader = Reader(module.strip_prefix(b"\0asm\x01\0\0\0").expect("a module of version 1"));
    let mut sections = Vec::new();
    while !reader.0.is_empty() {
        let number = reader.byte();
        let length = reader.number();
        sections.push((number, reader.take(length).to_vec()));
    }
    sections
}

/// Reads the binary format from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    /// An unsigned number in LEB128.
    fn number(&mut self) -> usize {
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte();
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return value;
            }
        }
        panic!("a number is longer than 32 bits");
    }

    fn text(&mut self) -> String {
        let length = self.number();
        String::from_utf8(self.take(length).to_vec()).expect("names are UTF-8")
    }
}
