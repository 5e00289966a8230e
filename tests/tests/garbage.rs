//! What is not a call, a policy or a module at all, through the `adjudicate` binary: an error with its code, the
//! documented exit status, nothing on stdout, no panic.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::{
    cli::{INVALID_INPUT, Run, adjudicate},
    engine_module,
    json::Json,
};

/// The exit status when a module fails or is refused.
const MODULE_REFUSED: i32 = 3;
/// The exit status for a command line that means nothing.
const WRONG_USAGE: i32 = 64;

/// Bytes of the largest garbage.
const HUGE: usize = 100_000_000;

/// The beginning of any PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

/// A document that is not one, and the code of its error.
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
fn garbage_as_the_envelope_is_refused() {
    for garbage in documents() {
        let file = file_with(".json", &garbage.bytes);
        let from_file = adjudicate(["evaluate".as_ref(), file.path().as_os_str()], b"");
        let from_stdin = adjudicate(["evaluate", "-"], &garbage.bytes);
        for run in [from_file, from_stdin] {
            assert_refused(&run, INVALID_INPUT, garbage.code, garbage.name);
        }
    }
}

#[test]
fn garbage_as_the_envelope_is_refused_by_the_engine_module() {
    let module = engine_module::path();
    for garbage in documents() {
        let file = file_with(".json", &garbage.bytes);
        let arguments =
            ["evaluate".as_ref(), file.path().as_os_str(), "--module".as_ref(), module.as_os_str()];
        assert_refused(&adjudicate(arguments, b""), INVALID_INPUT, garbage.code, garbage.name);
    }
}

#[test]
fn garbage_as_the_policy_is_refused() {
    let envelope = a_good_envelope();
    for garbage in documents() {
        // `null` is what a caller without a policy sends.
        if garbage.name == "null" {
            continue;
        }
        let policy = file_with(".json", &garbage.bytes);
        let arguments =
            ["evaluate".as_ref(), envelope.as_os_str(), "--policy".as_ref(), policy.path().as_os_str()];
        assert_refused(&adjudicate(arguments, b""), INVALID_INPUT, garbage.code, garbage.name);
    }
}

#[test]
fn lines_of_garbage_are_errors_and_the_other_lines_go_on() {
    let good = fs::read_to_string(a_good_envelope()).expect("the fixture is text");
    let good = adjudicate_tests::text::compact(&good);
    let lines = format!("{good}\nNaN\n{good}\n{{\"run_id\":1,\"run_id\":2}}\n{}\n{good}\n", "[".repeat(300));
    let run = adjudicate(["evaluate", "-", "--ndjson"], lines.as_bytes());
    let codes: Vec<_> = run.stdout.lines().map(|line| error_code(line).unwrap_or_default()).collect();
    assert_eq!(codes, ["", "malformed_json", "", "duplicate_key", "limit_exceeded", ""], "{run:?}");
}

#[test]
fn files_that_are_none_are_named() {
    let folder = env::temp_dir();
    let envelope = a_good_envelope();
    let good = envelope.as_os_str();
    let missing = Path::new("no/such/file.json").as_os_str();
    for path in [folder.as_os_str(), missing] {
        for arguments in
            [vec!["evaluate".as_ref(), path], vec!["evaluate".as_ref(), good, "--policy".as_ref(), path]]
        {
            let run = adjudicate(&arguments, b"");
            assert_refused(&run, INVALID_INPUT, "unreadable_input", &format!("{arguments:?}"));
            assert!(run.stderr.contains(&*path.to_string_lossy()), "{arguments:?}: {}", run.stderr);
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

#[test]
fn command_lines_that_mean_nothing_are_refused() {
    let cases: [&[&str]; 6] = [
        &[],
        &["guess"],
        &["evaluate"],
        &["evaluate", "-", "--no-such-flag"],
        &["evaluate", "-", "--format", "papyrus"],
        &["inspect"],
    ];
    for arguments in cases {
        let run = adjudicate(arguments, b"");
        assert_eq!(run.status, Some(WRONG_USAGE), "{arguments:?}: {run:?}");
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert!(!run.stderr.is_empty() && !run.stderr.contains("panicked"), "{arguments:?}: {}", run.stderr);
    }
}

/// Asserts that a run ended in one error line with that code.
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
    adjudicate_tests::workspace_root().join("fixtures/evaluate/vector-success-clean-minimal.json")
}

/// A file with some bytes, until it is dropped.
fn file_with(ending: &str, bytes: &[u8]) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(ending).tempfile().expect("a temporary file can be made");
    file.write_all(bytes).expect("and written to");
    file
}
