//! Bytes that are no call or no module: the error is the same natively, through the `adjudicate` binary and through the
//! engine module. The binary exits with the documented status, prints nothing on stdout, and does not panic.
//!
//! Inputs that only the binary has (flags, files, policies, lines) are tested with the binary.

use std::{io::Write as _, path::PathBuf};

use adjudicate_core::{Operation, json::MAX_DOCUMENT_BYTES};
use adjudicate_tests::artifacts;
use tempfile::NamedTempFile;

use crate::{
    cli::{INVALID_INPUT, Run, adjudicate},
    engine_module,
    json::Json,
};

/// The exit status when a module fails or is refused.
const MODULE_REFUSED: i32 = 3;

/// Bytes of the largest garbage.
const HUGE: usize = 100_000_000;

/// The beginning of any PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

/// Bytes that are no document, and the code of their error.
struct Garbage {
    name: &'static str,
    bytes: Vec<u8>,
    code: &'static str,
}

fn documents() -> Vec<Garbage> {
    let garbage = |name, bytes: &[u8], code| Garbage { name, bytes: bytes.to_vec(), code };
    vec![
        garbage("empty", b"", "malformed_json"),
        garbage("spaces", b" \n\t ", "malformed_json"),
        garbage("binary", &(0..=255).collect::<Vec<u8>>(), "malformed_json"),
        garbage("zeros", &[0; 64], "malformed_json"),
        garbage("png", PNG, "malformed_json"),
        garbage("utf16", b"\xff\xfe{\0}\0", "malformed_json"),
        garbage("not-a-number", br#"{"run_id": NaN}"#, "malformed_json"),
        garbage("infinity", br#"{"run_id": -Infinity}"#, "malformed_json"),
        garbage("comment", b"// nothing\n{}", "malformed_json"),
        garbage("two-documents", b"{} {}", "malformed_json"),
        garbage("duplicate-keys", br#"{"run_id": "a", "run_id": "a"}"#, "duplicate_key"),
        garbage("deep", &[b'['; 200], "limit_exceeded"),
        garbage("number", b"42", "invalid_value"),
        garbage("null", b"null", "invalid_value"),
        garbage("huge", &vec![b'['; HUGE], "limit_exceeded"),
    ]
}

#[test]
fn garbage_as_a_call_gets_the_same_error_everywhere() {
    let module = artifacts::engine();
    for garbage in documents() {
        let file = file_with(".json", &garbage.bytes);
        let plain = ["evaluate".as_ref(), file.path().as_os_str()];
        let with_module = [plain.as_slice(), &["--module".as_ref(), module.as_os_str()]].concat();
        let native = Operation::Evaluate.call(&garbage.bytes).expect_err(garbage.name);
        for run in [
            adjudicate(plain, b""),
            adjudicate(["evaluate", "-"], &garbage.bytes),
            adjudicate(with_module, b""),
        ] {
            assert_refused(&run, INVALID_INPUT, garbage.code, garbage.name);
            // An interface stops reading an input that is too large, so its message has less detail.
            if garbage.bytes.len() < MAX_DOCUMENT_BYTES {
                assert_eq!(run.stderr.trim_end(), native.to_json(), "{}", garbage.name);
            }
        }
    }
}

#[test]
fn garbage_as_a_module_is_refused() {
    let engine = engine_module::bytes();
    let mut damaged = engine.clone();
    damaged.truncate(engine.len() / 2);
    let modules: [(&str, &[u8]); 6] = [
        ("empty", b""),
        ("png", PNG),
        ("text", b"(module)"),
        ("header only", b"\0asm\x01\0\0\0"),
        ("truncated", &damaged),
        ("component", b"\0asm\x0d\0\x01\0"),
    ];
    let envelope = a_good_envelope();
    for (name, bytes) in modules {
        let module = file_with(".wasm", bytes);
        let evaluate =
            ["evaluate".as_ref(), envelope.as_os_str(), "--module".as_ref(), module.path().as_os_str()];
        let inspect = ["inspect".as_ref(), module.path().as_os_str()];
        for run in [adjudicate(evaluate, b""), adjudicate(inspect, b"")] {
            let code = error_code(&run.stderr).unwrap_or_default();
            assert!(code.starts_with("module_"), "{name}: {run:?}");
            assert_refused(&run, MODULE_REFUSED, &code, name);
        }
    }
}

/// Asserts that a run printed one line with an error of this code.
fn assert_refused(run: &Run, status: i32, code: &str, what: &str) {
    assert!(!run.stderr.contains("panicked"), "{what}: {}", run.stderr);
    assert_eq!(error_code(&run.stderr).as_deref(), Some(code), "{what}: {}", run.stderr);
    assert_eq!(run.status, Some(status), "{what}: {}", run.stderr);
    assert_eq!(run.stdout, "", "{what}");
}

/// The code of `{"error": {"code", "message", "path"}}`.
fn error_code(line: &str) -> Option<String> {
    let json = Json::parse(line.trim_end().as_bytes())?;
    let Json::Object(members) = json.member("error")? else { return None };
    let names: Vec<_> = members.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["code", "message", "path"], "{line}");
    json.at(&["error", "code"])?.as_text().map(str::to_owned)
}

fn a_good_envelope() -> PathBuf {
    adjudicate_tests::workspace_root().join("docs/examples/claim.json")
}

/// A temporary file with these bytes.
fn file_with(ending: &str, bytes: &[u8]) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(ending).tempfile().expect("a temporary file can be made");
    file.write_all(bytes).expect("and written to");
    file
}
