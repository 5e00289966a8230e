//! What does not load, and what it is called.

use adjudicate_core::ErrorCode;
use adjudicate_host::{Limits, inspect};

use crate::guests::{MANIFEST, Parts, answer, ask, good, host, wat, with_section};

/// A module of these fields, with everything else that a good one has.
fn with(more: &'static str) -> Vec<u8> {
    Parts { more, ..Parts::default() }.build()
}

fn with_memory(memory: &'static str) -> Vec<u8> {
    Parts { memory, ..Parts::default() }.build()
}

/// A module of these exports, with the manifest.
fn bare(fields: &str) -> Vec<u8> {
    let module = wat(&format!(r#"(module {fields})"#));
    with_section(&module, "adjudicate.manifest", MANIFEST.as_bytes())
}

/// The good module without its manifest, and with these sections instead.
fn with_manifests(texts: &[&str]) -> Vec<u8> {
    let module = Parts { manifest: None, ..Parts::default() }.build();
    texts.iter().fold(module, |module, text| with_section(&module, "adjudicate.manifest", text.as_bytes()))
}

fn repeated(open: &str, item: &str, count: usize, close: &str) -> Vec<u8> {
    bare(&format!("{open}{}{close}", item.repeat(count)))
}

const MEMORY: &str = r#"(memory (export "memory") 1 1)"#;
const ABI: &str = r#"(func (export "adjudicate_abi_1") (result i32) (i32.const 0))"#;
const ALLOC: &str = r#"(func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 8))"#;
const CALL: &str = r#"(func (export "adjudicate_call") (param i32 i32 i32) (result i32) (i32.const 8))"#;

fn cases() -> Vec<(&'static str, Vec<u8>, ErrorCode)> {
    use ErrorCode::{
        ModuleAbi, ModuleExports, ModuleFeature, ModuleImports, ModuleMalformed, ModuleManifest,
        ModuleMemoryType, ModuleStart, ModuleTooLarge,
    };
    let good = good();
    vec![
        ("empty file", Vec::new(), ModuleMalformed),
        ("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), ModuleMalformed),
        ("text", b"(module)".to_vec(), ModuleMalformed),
        ("component", b"\0asm\x0d\0\x01\0".to_vec(), ModuleMalformed),
        ("unknown version", b"\0asm\x02\0\0\0".to_vec(), ModuleMalformed),
        ("magic alone", b"\0asm".to_vec(), ModuleMalformed),
        ("truncated", good[..good.len() / 2].to_vec(), ModuleMalformed),
        ("bytes behind the end", [&good[..], b"\xff\xff"].concat(), ModuleMalformed),
        ("ill-typed body", invalid_body(), ModuleMalformed),
        ("no exports at all", wat("(module)"), ModuleExports),
        (
            "WASI import",
            with_memory(
                r#"(import "wasi_snapshot_preview1" "fd_write" (func)) (memory (export "memory") 2 16)"#,
            ),
            ModuleImports,
        ),
        (
            "imported memory",
            with_memory(r#"(memory (export "memory") (import "env" "memory") 1 1)"#),
            ModuleImports,
        ),
        ("start function", with("(start $begin) (func $begin)"), ModuleStart),
        ("two memories", with("(memory 1 1)"), ModuleMemoryType),
        ("no memory", bare(&[ABI, ALLOC, CALL].concat()), ModuleExports),
        (
            "64-bit memory",
            bare(&format!(r#"(memory (export "memory") i64 1 1) {ABI} {ALLOC} {CALL}"#)),
            ModuleMemoryType,
        ),
        ("shared memory", with_memory(r#"(memory (export "memory") 2 16 shared)"#), ModuleMemoryType),
        ("no maximum", with_memory(r#"(memory (export "memory") 2)"#), ModuleMemoryType),
        ("maximum over the limit", with_memory(r#"(memory (export "memory") 2 257)"#), ModuleTooLarge),
        ("initial size over the limit", with_memory(r#"(memory (export "memory") 300 301)"#), ModuleTooLarge),
        ("private memory", with_memory("(memory 2 16)"), ModuleExports),
        ("memory of another name", with_memory(r#"(memory (export "mem") 2 16)"#), ModuleExports),
        ("function named memory", with_memory(r#"(memory 2 16) (func (export "memory"))"#), ModuleExports),
        ("no abi marker", bare(&[MEMORY, ALLOC, CALL].concat()), ModuleExports),
        ("no alloc", bare(&[MEMORY, ABI, CALL].concat()), ModuleExports),
        ("no call", bare(&[MEMORY, ABI, ALLOC].concat()), ModuleExports),
        (
            "call of another type",
            bare(&[MEMORY, ABI, ALLOC, &CALL.replace("i32 i32 i32", "i32 i32")].concat()),
            ModuleExports,
        ),
        (
            "alloc of another type",
            bare(&[MEMORY, ABI, &ALLOC.replace("param i32", "param i64"), CALL].concat()),
            ModuleExports,
        ),
        (
            "marker is a global",
            bare(
                &[MEMORY, r#"(global (export "adjudicate_abi_1") i32 (i32.const 0))"#, ALLOC, CALL].concat(),
            ),
            ModuleExports,
        ),
        (
            "configure of another type",
            with(r#"(func (export "adjudicate_configure") (param i32))"#),
            ModuleExports,
        ),
        ("initialize of another type", with(r#"(func (export "_initialize") (param i32))"#), ModuleExports),
        (
            "an unknown major",
            with(r#"(func (export "adjudicate_abi_2") (result i32) (i32.const 0))"#),
            ModuleAbi,
        ),
        (
            "only an unknown major",
            bare(&[MEMORY, &ABI.replace("abi_1", "abi_9"), ALLOC, CALL].concat()),
            ModuleAbi,
        ),
        ("threads", with("(func (drop (i32.atomic.load (i32.const 0))))"), ModuleFeature),
        ("simd", with("(func (drop (v128.const i64x2 0 0)))"), ModuleFeature),
        (
            "relaxed simd",
            with("(func (param v128) (drop (i8x16.relaxed_swizzle (local.get 0) (local.get 0))))"),
            ModuleFeature,
        ),
        ("tail call", with("(func $f (return_call $f))"), ModuleFeature),
        ("exceptions", with("(tag)"), ModuleFeature),
        (
            "function references",
            with("(type $t (func)) (func (param (ref $t)) (call_ref $t (local.get 0)))"),
            ModuleFeature,
        ),
        ("gc", with("(type (struct))"), ModuleFeature),
        ("external references", with("(func (param externref))"), ModuleFeature),
        ("too many functions", repeated("", "(func)", 20_001, ""), ModuleTooLarge),
        ("too many locals", repeated("(func (local", " i32", 5_001, "))"), ModuleTooLarge),
        ("too large a body", repeated("(func ", "nop ", 600_000, ")"), ModuleTooLarge),
        ("too large a table", with("(table 10001 funcref)"), ModuleTooLarge),
        ("too large a maximum of a table", with("(table 1 10001 funcref)"), ModuleTooLarge),
        ("two tables", with("(table 1 funcref) (table 1 funcref)"), ModuleTooLarge),
        ("too many globals", repeated("", "(global i32 (i32.const 0))", 1_001, ""), ModuleTooLarge),
        ("no manifest", with_manifests(&[]), ModuleManifest),
        ("two manifests", with_manifests(&[MANIFEST, MANIFEST]), ModuleManifest),
        ("empty manifest", with_manifests(&[""]), ModuleManifest),
        ("binary manifest", with_manifests(&["\u{7f}\0"]), ModuleManifest),
        (
            "manifest too large",
            with_manifests(&[&format!("{MANIFEST}{}", " ".repeat(16 << 10))]),
            ModuleManifest,
        ),
        (
            "manifest of another abi",
            with_manifests(&[&MANIFEST.replace(r#""abi":1"#, r#""abi":2"#)]),
            ModuleManifest,
        ),
        ("policy without evaluate", with_manifests(&[POLICY_ONLY]), ModuleManifest),
        (
            "needs more than its memory",
            with_manifests(&[&needs(r#""memory_bytes":1048577"#)]),
            ModuleManifest,
        ),
        ("needs more than the host gives", with_manifests(&[&needs(r#""fuel":1000001"#)]), ModuleTooLarge),
        ("needs longer inputs", with_manifests(&[&needs(r#""input_bytes":9000000"#)]), ModuleTooLarge),
        ("minor version ahead", Parts { abi: "(i32.const 1)", ..Parts::default() }.build(), ModuleAbi),
        ("negative minor version", Parts { abi: "(i32.const -1)", ..Parts::default() }.build(), ModuleAbi),
    ]
}

const POLICY_ONLY: &str = r#"{"abi":1,"name":"n","version":"1.0.0","operations":["refine"]}"#;

fn needs(limits: &str) -> String {
    MANIFEST.replace(r#""x-home":"tests""#, &format!(r#""limits":{{{limits}}}"#))
}

/// A function whose body leaves nothing where a result is due, which no assembler would write.
fn invalid_body() -> Vec<u8> {
    let header = b"\0asm\x01\0\0\0";
    let types = b"\x01\x05\x01\x60\x00\x01\x7f";
    let functions = b"\x03\x02\x01\x00";
    let code = b"\x0a\x04\x01\x02\x00\x0b";
    [&header[..], types, functions, code].concat()
}

#[test]
fn each_is_refused_by_its_code_and_a_good_module_still_loads() {
    let host = host();
    let good = good();
    for (name, module, code) in cases() {
        match host.load(&module) {
            Ok(_) => panic!("{name} was loaded"),
            Err(error) => assert_eq!(error.code(), code, "{name}: {error}"),
        }
        let inspected = inspect(&module, host.limits()).map_err(|error| error.code());
        // The minor version is the one thing that only running can tell.
        if !name.contains("minor version") {
            assert_eq!(inspected.map(|inspection| inspection.digest), Err(code), "{name}");
        }
        assert_eq!(ask(&host.load(&good).unwrap()), Ok(answer()), "after {name}");
    }
}

#[test]
fn every_prefix_is_refused() {
    let good = good();
    for end in 0..good.len() {
        let code = inspect(&good[..end], &Limits::default()).unwrap_err().code();
        // Cut between two sections, what is left is a module, but not one of ours.
        let expected: &[ErrorCode] =
            &[ErrorCode::ModuleMalformed, ErrorCode::ModuleExports, ErrorCode::ModuleManifest];
        assert!(expected.contains(&code), "{end}: {code:?}");
    }
}

#[test]
fn every_single_byte_may_be_wrong() {
    let good = good();
    let host = host();
    for at in 0..good.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut module = good.clone();
            module[at] ^= flip;
            // It loads or it does not; what matters is that the host lives on, and that nothing malformed passes.
            if let Ok(inspection) = inspect(&module, host.limits()) {
                assert_eq!(inspection.bytes, good.len());
            }
        }
    }
}

#[test]
fn a_module_over_the_size_limit_is_not_even_read() {
    let limits = Limits { module_bytes: 100, ..Limits::default() };
    assert_eq!(inspect(&good(), &limits).unwrap_err().code(), ErrorCode::ModuleTooLarge);
}

#[test]
fn an_inspection_says_what_is_there() {
    let module = good();
    let inspection = inspect(&module, &Limits::default()).unwrap();
    assert_eq!(inspection.digest, adjudicate_host::Digest::of(&module));
    assert_eq!((inspection.memory.initial_bytes, inspection.memory.maximum_bytes), (2 << 16, 16 << 16));
    assert_eq!((inspection.functions, inspection.bytes), (3, module.len()));
    assert_eq!(inspection.exports, ["memory", "adjudicate_abi_1", "adjudicate_alloc", "adjudicate_call"]);
    assert_eq!(inspection.manifest.text(), MANIFEST);
}

#[test]
fn a_refusal_says_what_to_do() {
    for (module, words) in [
        (
            with_memory(r#"(import "env" "now" (func)) (memory (export "memory") 2 16)"#),
            "imports `env`.`now`",
        ),
        (with_memory(r#"(memory (export "memory") 2)"#), "--max-memory"),
        (with("(start $begin) (func $begin)"), "_initialize"),
        (with_manifests(&[]), "append one"),
        (with("(func (drop (v128.const i64x2 0 0)))"), "SIMD"),
    ] {
        let error = inspect(&module, &Limits::default()).unwrap_err();
        assert!(error.message().contains(words), "{error}");
    }
}
