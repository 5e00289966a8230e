//! Loading of modules. The corpus (`hostile`) covers modules that do not load.

use std::error::Error as _;

use adjudicate_core::{ErrorCode, Operation};
use adjudicate_sandbox::{Digest, Limits, codes, inspect, manifest};
use adjudicate_trust::{SecretKey, sign};

use crate::guests::{ENVELOPE, MANIFEST, Parts, answer, ask, good, host, host_with, wat, with_section};

/// A good module with these additional fields.
fn with(more: &'static str) -> Vec<u8> {
    Parts { more, ..Parts::default() }.build()
}

fn with_memory(memory: &'static str) -> Vec<u8> {
    Parts { memory, ..Parts::default() }.build()
}

/// A module with these exports and the manifest.
fn bare(fields: &str) -> Vec<u8> {
    let module = wat(&format!(r#"(module {fields})"#));
    with_section(&module, "adjudicate.manifest", MANIFEST.as_bytes())
}

/// The good module with these manifest sections instead of its own.
fn with_manifests(texts: &[&str]) -> Vec<u8> {
    let module = Parts { manifest: None, ..Parts::default() }.build();
    texts.iter().fold(module, |module, text| with_section(&module, "adjudicate.manifest", text.as_bytes()))
}

/// A function of nested blocks.
fn nested(open: &str, depth: usize) -> Vec<u8> {
    with_function(&format!("(func {}{})", open.repeat(depth), ")".repeat(depth)))
}

/// A good module with an additional function.
fn with_function(function: &str) -> Vec<u8> {
    bare(&[MEMORY, ABI, ALLOC, CALL, function].concat())
}

/// A function with this many branches.
fn branches(count: usize) -> String {
    format!("(func (param i32) {})", "(br_if 0 (local.get 0))".repeat(count))
}

fn locals_at_branches(locals: usize, branches: usize) -> String {
    let body = "(loop (br_if 0 (local.get 0)))".repeat(branches);
    format!("(func (local{}) {body})", " i32".repeat(locals))
}

fn operands_at_branches(operands: usize, branches: usize) -> String {
    let (push, body, pop) = ("i32.const 0 ", "loop end ", "drop ");
    format!("(func {}{}{})", push.repeat(operands), body.repeat(branches), pop.repeat(operands))
}

const MEMORY: &str = r#"(memory (export "memory") 1 1)"#;
const ABI: &str = r#"(func (export "adjudicate_abi_1") (result i32) (i32.const 0))"#;
const ALLOC: &str = r#"(func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 8))"#;
const CALL: &str = r#"(func (export "adjudicate_call") (param i32 i32 i32) (result i32) (i32.const 8))"#;

fn needs(limits: &str) -> String {
    MANIFEST.replace(r#""x-home":"tests""#, &format!(r#""limits":{{{limits}}}"#))
}

#[test]
fn a_signed_module_loads_and_answers_and_keeps_its_manifest() {
    let signed = [1, 2]
        .iter()
        .fold(good(), |module, seed| sign(&module, &SecretKey::from_seed(&[*seed; 32])).unwrap());
    let inspection = inspect(&signed).unwrap();
    assert_eq!(inspection.digest, Digest::sha256(&signed));
    assert_eq!(manifest::read(&signed).unwrap().text(), MANIFEST);
    let module = host().load(&signed).unwrap();
    assert_eq!(ask(&module), Ok(answer()));
}

#[test]
fn every_prefix_is_rejected() {
    let good = good();
    for end in 0..good.len() {
        let code = inspect(&good[..end]).unwrap_err().code();
        // A cut between two sections leaves a module, but not a policy module.
        let expected: &[ErrorCode] =
            &[codes::MODULE_MALFORMED, codes::MODULE_EXPORTS, codes::MODULE_MANIFEST];
        assert!(expected.contains(&code), "{end}: {code:?}");
    }
}

#[test]
fn errors_keep_their_source() {
    let invalid = inspect(b"\0asm\x01\0\0\0\xff").unwrap_err();
    assert!(invalid.source().is_some_and(|source| source.is::<wasmparser::BinaryReaderError>()));
    let trapping = Parts { call: "unreachable", ..Parts::default() }.build();
    let trap = host().load(&trapping).unwrap().call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap_err();
    assert!(trap.source().is_some_and(|source| source.is::<wasmtime::Trap>()));
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_change_of_any_byte_is_survived() {
    let host = host();
    let good = good();
    let mut survivors = 0;
    for at in 0..good.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut module = good.clone();
            module[at] ^= flip;
            // The result may still be a module. If it fails, the error has a code of modules.
            let outcome = host.load(&module).map_err(|error| error.code().as_str().to_owned());
            survivors += usize::from(outcome.is_ok());
            let code = outcome.and_then(|module| ask(&module)).err();
            assert!(code.as_ref().is_none_or(|code| code.starts_with("module_")), "{at} {flip}: {code:?}");
        }
    }
    assert!(survivors > 0 && ask(&host.load(&good).unwrap()) == Ok(answer()));
}

/// The bounds suffice for the output of compilers for real code.
#[test]
fn modules_within_the_bounds_load() {
    let host = host();
    for (name, module) in [
        ("blocks nested deep", nested("(block ", 999)),
        ("loops nested deep", nested("(loop ", 64)),
        ("branches", with_function(&branches(5_000))),
        ("locals", with_function(&locals_at_branches(500, 500))),
        ("operands", with_function(&operands_at_branches(50, 500))),
        ("many functions", bare(&[MEMORY, ABI, ALLOC, CALL, &"(func)".repeat(5_000)].concat())),
    ] {
        if let Err(error) = host.load(&module) {
            panic!("{name}: {error}");
        }
    }
}

/// Limits differ between hosts, so a module can be inspected whatever its needs.
#[test]
fn another_host_may_load_a_module_above_the_limits() {
    let limits = Limits { fuel: 1_000_000, ..Limits::default() };
    for (module, code, path, generous) in [
        (
            with_memory(r#"(memory (export "memory") 2 257)"#),
            codes::MODULE_TOO_LARGE,
            "",
            Limits { memory_bytes: 257 << 16, ..limits },
        ),
        (
            with_manifests(&[&needs(r#""fuel":1000001"#)]),
            codes::MODULE_NEEDS,
            "/limits/fuel",
            Limits { fuel: 1_000_001, ..limits },
        ),
        (
            with_manifests(&[&needs(r#""input_bytes":9000000"#)]),
            codes::MODULE_NEEDS,
            "/limits/input_bytes",
            Limits { input_bytes: 9_000_000, ..limits },
        ),
        (
            with_manifests(&[&needs(r#""output_bytes":5000000"#)]),
            codes::MODULE_NEEDS,
            "/limits/output_bytes",
            Limits { output_bytes: 5_000_000, ..limits },
        ),
    ] {
        let error = host_with(limits).load(&module).unwrap_err();
        assert_eq!((error.code(), error.path()), (code, path), "{error}");
        assert!(error.message().contains("Limits::"), "{error}");
        assert_eq!(ask(&host_with(generous).load(&module).unwrap()), Ok(answer()), "{path}");
        assert!(inspect(&module).is_ok(), "{path}");
    }
}

#[test]
fn an_inspection_describes_the_module() {
    let module = good();
    let inspection = inspect(&module).unwrap();
    assert_eq!(inspection.digest, adjudicate_sandbox::Digest::sha256(&module));
    assert_eq!((inspection.memory.initial_bytes, inspection.memory.maximum_bytes), (2 << 16, 16 << 16));
    assert_eq!((inspection.functions, inspection.bytes), (3, module.len()));
    assert_eq!(inspection.exports, ["memory", "adjudicate_abi_1", "adjudicate_alloc", "adjudicate_call"]);
    assert_eq!(inspection.manifest.text(), MANIFEST);
}

#[test]
fn an_error_has_advice() {
    for (module, words) in [
        (
            with_memory(r#"(import "env" "now" (func)) (memory (export "memory") 2 16)"#),
            "imports `env`.`now`",
        ),
        (with_memory(r#"(memory (export "memory") 2)"#), "--max-memory"),
        (with("(start $begin) (func $begin)"), "_initialize"),
        (with_manifests(&[]), "append one"),
        (with("(func (drop (v128.const i64x2 0 0)))"), "SIMD"),
        (with_function(&branches(30_000)), "build it optimised"),
    ] {
        let error = inspect(&module).unwrap_err();
        assert!(error.message().contains(words), "{error}");
    }
}

#[test]
fn a_minor_version_is_reported_as_a_number() {
    for (abi, words) in [
        ("(i32.const 3)", "speaks version 1.3 of the interface"),
        ("(i32.const -1)", "has the invalid minor version -1"),
    ] {
        let error = host().load(&Parts { abi, ..Parts::default() }.build()).unwrap_err();
        assert!(error.code() == codes::MODULE_ABI && error.message().contains(words), "{error}");
    }
}

#[test]
fn segments_out_of_bounds_are_reported() {
    for (more, words) in [
        (r#"(data (i32.const 131072) "x")"#, "a data segment lies outside"),
        ("(table 1 funcref) (func $f) (elem (i32.const 1) $f)", "an element segment lies outside"),
    ] {
        let error = host().load(&with(more)).unwrap_err();
        assert!(error.code() == codes::MODULE_TRAP && error.message().contains(words), "{error}");
    }
}
