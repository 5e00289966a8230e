//! Policies baked into the engine: results, errors, and recognition by a host.

use std::sync::OnceLock;

use adjudicate_core::{Operation, Policy};
use adjudicate_sandbox::{Host, HostSettings, Limits, ModuleLabel, POLICY_SECTION, codes, inspect, manifest};
use adjudicate_trust::signature::{self, Signature};
use sha2::{Digest as _, Sha256};

use super::{
    engines::{engine, host},
    guests::{ENVELOPE, Parts, good, with_section},
};

/// A policy with all kinds of fields, laid out by hand.
const POLICY: &str = r#"{
  "policy": "house", "version": "1.2.0", "description": "what the house holds steps to",
  "parameters": {"partial_threshold": 2},
  "forbidden_paths": ["infra/**", "*.{key,pem}"], "required_artifacts": [],
  "routes": {"rollback": ["clear-*"], "forward": ["publish"]},
  "rules": [
    {"id": "odd-run", "when": {"and": [{"starts_with": [{"var": "input.run_id"}, "odd"]}, {"<": [{"var": "facts.failures"}, 1e40, 123456789012345678901234567890]}]},
     "then": {"status": "needs_human", "flag": "odd", "summary": "an odd run"}},
    {"id": "listed", "when": {"in": [{"var": "input.step_id"}, ["one", "two"]]},
     "then": {"status": "blocked", "summary": "a listed step", "resolution": {"kind": "after_fix", "hint": "take another step"}}}
  ],
  "tests": [{"name": "nothing is there", "input": {}, "expect": {"error": {"code": "missing_field"}}}]
}"#;

/// [`POLICY`], baked once for all tests.
fn baked() -> &'static [u8] {
    static BAKED: OnceLock<Vec<u8>> = OnceLock::new();
    BAKED.get_or_init(|| host(&[]).bake(engine(), POLICY.as_bytes(), &ModuleLabel::default()).unwrap())
}

/// The code and path of the error for a document that cannot be baked.
pub(crate) fn refused(engine: &[u8], document: &str) -> (String, String) {
    let baked = host(&[]).bake(engine, document.as_bytes(), &ModuleLabel::default());
    let error = baked.map(|module| module.len()).unwrap_err();
    let json: serde_json::Value = serde_json::from_str(&error.to_json()).unwrap();
    let text = |member: &str| json["error"][member].as_str().unwrap().to_owned();
    (text("code"), text("path"))
}

#[test]
fn a_baked_policy_decides_like_the_policy_and_names_it() {
    let module = host(&[]).load(baked()).unwrap();
    let policy = Policy::parse(POLICY.as_bytes()).unwrap();
    for (from, to) in
        [("", ""), (r#""r""#, r#""odd-1""#), (r#""s""#, r#""two""#), ("src/", "infra/"), ("run_id", "ran_id")]
    {
        let envelope = ENVELOPE.replacen(from, to, usize::from(!from.is_empty()));
        for operation in [Operation::Evaluate, Operation::Explain, Operation::Refine] {
            let input = format!(r#"{{"envelope": {envelope}}}"#);
            let native =
                operation.call_with(input.as_bytes(), Some(&policy)).unwrap_or_else(|error| error.to_json());
            let answer = module.call(operation, input.as_bytes()).unwrap_or_else(|error| error.to_json());
            assert_eq!(answer, native, "{to}");
        }
    }
    let native = Operation::CheckPolicy.call_with(b"{}", Some(&policy)).unwrap();
    assert_eq!(module.call(Operation::CheckPolicy, b"{}").unwrap(), native);
    let rival = format!(r#"{{"envelope": {ENVELOPE}, "policy": {{"policy": "other", "version": "1.0.0"}}}}"#);
    assert_eq!(module.call(Operation::Evaluate, rival.as_bytes()).unwrap_err().code(), "invalid_value");

    let inspection = inspect(baked()).unwrap();
    let (label, manifest) = (inspection.manifest.policy.as_ref().unwrap(), &inspection.manifest);
    assert_eq!((&*manifest.name, manifest.version.to_string().as_str()), ("house", "1.2.0"));
    assert_eq!(manifest.description.as_deref(), Some("what the house holds steps to"));
    assert_eq!(
        (label.rules.as_slice(), label.name.0.as_str()),
        (&["odd-run".to_owned(), "listed".into()][..], "house")
    );
    assert_eq!(label.digest.to_string(), policy.digest());
    assert_eq!(
        (manifest.tests().unwrap().len(), inspection.policy().unwrap().digest()),
        (1, policy.digest())
    );
    // The module is configured and cannot be configured again.
    assert!(
        !inspection.exports.iter().any(|name| name == "adjudicate_configure"),
        "{:?}",
        inspection.exports
    );
    let mut exports = inspect(engine()).unwrap().exports;
    exports.retain(|name| name != "adjudicate_configure");
    assert_eq!(inspection.exports, exports);
    assert_eq!(inspection.memory, inspect(engine()).unwrap().memory, "a small policy needs no more memory");
}

#[test]
fn the_same_policy_gives_the_same_minimal_bytes() {
    let dense: serde_json::Value = serde_json::from_str(POLICY).unwrap();
    // Another order of fields, without white space.
    let again = host(&[]).bake(engine(), dense.to_string().as_bytes(), &ModuleLabel::default()).unwrap();
    assert!(again == baked(), "the layout of a document does not matter");
    assert!(baked().len() < engine().len() + 2 * POLICY.len(), "{} and {}", baked().len(), engine().len());
    // The digest can be recomputed from the module alone.
    let section = section(baked(), POLICY_SECTION);
    let text = miniz_oxide::inflate::decompress_to_vec_zlib(&section).unwrap();
    let digest = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(inspect(baked()).unwrap().manifest.policy.unwrap().digest.hex(), digest);
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&text).unwrap(), dense);
}

#[test]
fn the_label_names_the_module() {
    let label = ModuleLabel {
        name: Some("gate".into()),
        version: Some("9.0.0-rc.1".parse().unwrap()),
        description: Some("\"quoted\"".into()),
        license: Some("MIT".into()),
    };
    let minimal = br#"{"policy": "p", "version": "1.0.0"}"#;
    let named = host(&[]).bake(engine(), minimal, &label).unwrap();
    let manifest = manifest::read(&named).unwrap();
    assert_eq!((&*manifest.name, manifest.version.to_string().as_str()), ("gate", "9.0.0-rc.1"));
    assert_eq!(
        (manifest.license.as_deref(), manifest.description.as_deref()),
        (Some("MIT"), Some("\"quoted\""))
    );
    assert_eq!(manifest.policy.map(|policy| policy.name.0), Some("p".into()));
    for name in ["", " ", "a\nb", "a\u{202e}b", &"x".repeat(257)] {
        let label = ModuleLabel { name: Some(name.to_owned()), ..ModuleLabel::default() };
        let error = host(&[]).bake(engine(), minimal, &label).unwrap_err();
        assert_eq!(error.code(), "wrong_usage", "{name:?}");
    }
}

#[test]
fn invalid_policies_are_rejected_with_a_path() {
    for (document, code, path) in [
        ("", "malformed_json", ""),
        ("\0asm", "malformed_json", ""),
        ("null", "invalid_value", ""),
        ("{}", "missing_field", "/policy"),
        (r#"{"policy":"p","version":"1"}"#, "invalid_value", "/version"),
        (r#"{"policy":"p","version":"1.0.0","rulez":[]}"#, "unknown_field", "/rulez"),
        (r#"{"policy":"p","policy":"q","version":"1.0.0"}"#, "duplicate_key", "/policy"),
        (
            r#"{"policy":"p","version":"1.0.0","tests":[{"name":"t","input":{},"expect":{}}]}"#,
            "invalid_policy",
            "/tests/0/expect",
        ),
        (
            r#"{"policy":"p","version":"1.0.0","tests":[{"name":"t","input":{"envelope":{}},"expect":{"error":{}}}]}"#,
            "invalid_policy",
            "/tests/0/input/envelope",
        ),
    ] {
        assert_eq!(refused(engine(), document), (code.to_owned(), path.to_owned()), "{document}");
    }
    let tests = |count: usize, filler: usize| {
        let test = |number| {
            let name = format!("{number}{}", "x".repeat(filler));
            format!(r#"{{"name":"{name}","input":{{}},"expect":{{"error":{{"code":"missing_field"}}}}}}"#)
        };
        let tests: Vec<_> = (0..count).map(test).collect();
        format!(r#"{{"policy":"p","version":"1.0.0","tests":[{}]}}"#, tests.join(","))
    };
    for document in [tests(1_001, 0), tests(3, 100_000)] {
        assert_eq!(refused(engine(), &document), ("limit_exceeded".to_owned(), "/tests".to_owned()));
    }
    let (code, path) = refused(engine(), &POLICY.replace("missing_field", "unknown_field"));
    assert_eq!((code.as_str(), path.as_str()), ("module_tests", "/x-tests/0/expect/error/code"));
}

/// A module that claims to be an engine, with this code for configuring.
fn pretender(configure: &str) -> Vec<u8> {
    let more = format!(
        r#"(func (export "adjudicate_configure") (param i32 i32) (result i32) {configure})
           (func $deeper (call $deeper))"#
    );
    let manifest = r#"{"abi":1,"name":"e","version":"1.0.0","operations":["evaluate"],"engine":{"name":"e","version":"1.0.0"}}"#;
    Parts {
        more: Box::leak(more.into_boxed_str()),
        manifest: Some(manifest),
        reply: br#"{"ok":null}"#.to_vec(),
        ..Parts::default()
    }
    .build()
}

#[test]
fn other_modules_are_rejected_and_hostile_engines_are_bounded() {
    let minimal = r#"{"policy": "p", "version": "1.0.0"}"#;
    for (engine, code) in [
        (&b""[..], "module_malformed"),
        (minimal.as_bytes(), "module_malformed"),
        (&good(), "module_exports"),
        (&engine()[..1000], "module_malformed"),
        (baked(), "module_manifest"),
        (&vec![0; 17 << 20], "module_too_large"),
        (&pretender("(loop (br 0)) (i32.const 16)"), "module_out_of_fuel"),
        (&pretender("(unreachable)"), "module_trap"),
        (&pretender("(call $deeper) (i32.const 16)"), "module_stack"),
        (&pretender("(i32.const -4)"), "module_bad_pointer"),
        (&pretender("(i32.const 8)"), "module_malformed_reply"),
        (
            &pretender(
                "(drop (memory.grow (i32.const 9))) (i32.store (i32.const 655356) (i32.const 1)) (i32.const 16)",
            ),
            "ok",
        ),
    ] {
        let outcome = host(&[]).bake(engine, minimal.as_bytes(), &ModuleLabel::default());
        let outcome = outcome.as_ref().map_or_else(|error| error.code(), |_| "ok");
        assert_eq!(outcome, code);
    }
    // A snapshot of another engine is a module like any other, and no host knows it.
    let pretender = pretender("(i32.store8 (i32.const 2000) (i32.const 7)) (i32.const 16)");
    let snapshot = host(&[]).bake(&pretender, minimal.as_bytes(), &ModuleLabel::default()).unwrap();
    assert!(!host(&[engine()]).load(&snapshot).unwrap().is_known());
    assert!(host(&[&pretender]).load(&snapshot).unwrap().is_known());
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_host_recognizes_exactly_the_modules_of_its_engine() {
    let knowing = host(&[engine()]);
    assert!(knowing.load(engine()).unwrap().is_known());
    let module = knowing.load(baked()).unwrap();
    assert!(module.is_known() && !host(&[]).load(baked()).unwrap().is_known());
    let native = Policy::parse(POLICY.as_bytes()).unwrap();
    assert_eq!(
        module.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap(),
        Operation::Evaluate.call_with(ENVELOPE.as_bytes(), Some(&native)).unwrap()
    );
    // A signature does not change the recognition.
    let signature = Signature { key_id: None, bytes: [7; 64] };
    let signed = signature::append(baked(), |_, _| Ok(signature)).unwrap();
    assert!(knowing.load(&signed).unwrap().is_known());
    // One changed byte of a text of the policy in its memory. The module then runs like any other, with fuel.
    let at = baked().windows(10).position(|window| window == b"an odd run").unwrap();
    let mut tampered = baked().to_vec();
    tampered[at] = b'A';
    let stranger = knowing.load(&tampered).unwrap();
    assert!(!stranger.is_known());
    assert!(!knowing.load(&with_section(baked(), "extra", b"x")).unwrap().is_known());
}

#[test]
fn a_module_with_another_policy_than_its_manifest_names_is_rejected() {
    let text = |document: &str| miniz_oxide::deflate::compress_to_vec_zlib(document.as_bytes(), 6);
    let other = r#"{"policy":"house","version":"1.2.0"}"#;
    let packed = section(baked(), POLICY_SECTION);
    let without = |name: &str| {
        let mut bytes = baked().to_vec();
        let at = bytes.windows(name.len()).rposition(|window| window == name.as_bytes()).unwrap();
        bytes[at] = b'x';
        bytes
    };
    let bare = without(POLICY_SECTION);
    assert!(inspect(&bare).unwrap().policy().is_none(), "a label alone is a claim");
    let bomb = miniz_oxide::deflate::compress_to_vec_zlib(&vec![b' '; 9 << 20], 9);
    // Bytes after the end of the stream, also those of another stream or its checksum.
    let [more, twice] = [[&packed[..], b"x"].concat(), [&packed[..], &packed].concat()];
    let checksum = [&packed[..], b"x", &packed[packed.len() - 4..]].concat();
    let cut = &packed[..packed.len() - 1];
    for section in [
        &text(other)[..],
        &text("{}"),
        &text(POLICY),
        b"",
        b"{}",
        &packed[..20],
        cut,
        &more,
        &twice,
        &checksum,
        &bomb,
    ] {
        let error = inspect(&with_section(&bare, POLICY_SECTION, section)).unwrap_err();
        assert_eq!(error.code(), codes::MODULE_MANIFEST, "{error}");
    }
    assert!(inspect(&with_section(&bare, POLICY_SECTION, &packed)).unwrap().policy().is_some());
    assert_eq!(
        inspect(&with_section(baked(), POLICY_SECTION, &packed)).unwrap_err().code(),
        codes::MODULE_MANIFEST
    );
    let unlabelled = with_section(&good(), POLICY_SECTION, &packed);
    assert_eq!(inspect(&unlabelled).unwrap_err().path(), "/policy");
}

#[test]
fn limits_hold_for_baking_too() {
    let minimal = br#"{"policy": "p", "version": "1.0.0"}"#;
    for (limits, code) in [
        (Limits { module_bytes: 1_000, ..Limits::default() }, "module_too_large"),
        (Limits { memory_bytes: 1 << 20, ..Limits::default() }, "module_too_large"),
    ] {
        let host = Host::new(HostSettings { limits, ..HostSettings::default() }).unwrap();
        assert_eq!(host.bake(engine(), minimal, &ModuleLabel::default()).unwrap_err().code(), code);
    }
}

/// The data of a custom section.
fn section(module: &[u8], name: &str) -> Vec<u8> {
    let mut found =
        wasmparser::Parser::new(0).parse_all(module).filter_map(|payload| match payload.unwrap() {
            wasmparser::Payload::CustomSection(section) if section.name() == name => {
                Some(section.data().to_vec())
            }
            _ => None,
        });
    found.next().unwrap()
}
