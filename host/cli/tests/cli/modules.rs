//! `--module` and `inspect`: a module decides, in the sandbox.

use std::fs;

use adjudicate_sandbox::{Digest, manifest};
use adjudicate_tests::artifacts;

use crate::command::{ENVELOPE, POLICY, TestFolder, answer, error_code};

const MANIFEST: &str =
    r#"{"abi":1,"name":"constant","version":"0.1.0","operations":["evaluate"],"x-home":"tests"}"#;

/// A module that replies the same to every call, after having done this.
pub(crate) fn replying(reply: &str, before: &str) -> Vec<u8> {
    replying_with(MANIFEST, reply, before)
}

pub(crate) fn replying_with(manifest: &str, reply: &str, before: &str) -> Vec<u8> {
    let bytes = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let record = [1024_u32.to_le_bytes(), u32::try_from(reply.len()).unwrap().to_le_bytes()].concat();
    let text = format!(
        r#"(module (memory (export "memory") 2 16)
            (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
            (func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 65536))
            (func (export "adjudicate_call") (param i32 i32 i32) (result i32) {before} (i32.const 16))
            (data (i32.const 16) "{}") (data (i32.const 1024) "{}"))"#,
        bytes(&record),
        bytes(reply.as_bytes())
    );
    manifest::append(&wat::parse_str(text).unwrap(), manifest).unwrap()
}

pub(crate) fn good() -> Vec<u8> {
    replying(&good_reply(), "")
}

fn good_reply() -> String {
    format!(r#"{{"ok":{}}}"#, answer(ENVELOPE))
}

/// A module of a name of 8 bytes, which no host of this version would have made.
pub(crate) fn named(name: &str) -> Vec<u8> {
    let mut module = replying_with(&MANIFEST.replace("constant", "harmless"), &good_reply(), "");
    let at = module.windows(8).position(|bytes| bytes == b"harmless").unwrap();
    module[at..at + 8].copy_from_slice(name.as_bytes());
    module
}

fn evaluate(place: &TestFolder, module: &[u8], more: &[&str]) -> crate::command::Run {
    let envelope = place.file("envelope.json", ENVELOPE);
    let module = place.file("module.wasm", module);
    place.run(&[&["evaluate", &envelope, "--module", &module], more].concat())
}

#[test]
fn a_modules_answer_is_printed_as_the_engines_is() {
    let place = TestFolder::new();
    for more in [
        &[][..],
        &["--no-cache"],
        &["--fuel", "1000"],
        &["--exit-status"],
        &["--known-engine", &Digest::sha256(&good()).to_string()],
    ] {
        let run = evaluate(&place, &good(), more);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{more:?}");
        assert_eq!(run.stdout, format!("{}\n", answer(ENVELOPE)), "{more:?}");
    }
    assert!(evaluate(&place, &good(), &["--format", "table"]).stdout.starts_with("SUCCESS"));
}

#[test]
fn names_that_commands_take_for_digests_or_options_are_refused_on_every_way_in() {
    let place = TestFolder::new();
    let [envelope, policy] =
        [("envelope.json", ENVELOPE), ("policy.json", POLICY)].map(|(name, text)| place.file(name, text));
    for name in ["deadbeef", "01234567", "sha256:x", "SHA256:x", "--option", "-harmles"] {
        let module = place.file("named.wasm", named(name));
        for args in [
            &["inspect", &module][..],
            &["evaluate", &envelope, "--module", &module],
            &["evaluate", &envelope, "--policy", &policy, "--restrict", &module],
            &["evaluate", &envelope, "--policy", &policy, "--override", &module],
            &["install", &module, "--allow-unsigned", "--store", "store"],
            &["push", &module, "127.0.0.1:1/acme/gate:1", "--plain-http"],
        ] {
            let run = place.run(args);
            assert_eq!((run.status, run.code().as_str()), (Some(3), "module_manifest"), "{name} {run:?}");
            assert!(run.stderr.contains(r#""path":"/name""#), "{name} {run:?}");
        }
        let report = place.run(&["conformance", &module]);
        assert!(report.status == Some(3) && report.stdout.contains("FAIL   manifest.form"), "{report:?}");
        let build = ["build", &policy, &format!("--name={name}"), "-o", "built.wasm"];
        let built = place.run_where(&[("ADJUDICATE_ENGINE", artifacts::engine())], &build, b"");
        assert_eq!((built.code().as_str(), place.path("built.wasm").exists()), ("wrong_usage", false));
    }
}

#[test]
fn after_a_module_that_fails_another_one_decides() {
    let place = TestFolder::new();
    let elsewhere = answer(ENVELOPE).replace(r#""next_step":"publish""#, r#""next_step":"elsewhere""#);
    for (module, code) in [
        (replying("{}", "unreachable"), "module_trap"),
        (replying(&format!(r#"{{"ok":{elsewhere}}}"#), ""), "module_illegal_next_step"),
        (good()[..good().len() / 2].to_vec(), "module_malformed"),
    ] {
        let run = evaluate(&place, &module, &[]);
        assert_eq!((run.code().as_str(), run.status), (code, Some(3)));
        assert_eq!(evaluate(&place, &good(), &[]).status, Some(0), "after {code}");
    }
}

#[test]
fn an_input_error_of_a_module_is_printed_as_the_module_wrote_it() {
    let reply = "{\"error\": {\"code\":\"own_code\",\n \"message\":\"\\u00e9\",\"path\":\"/a\"}}";
    let run = evaluate(&TestFolder::new(), &replying(reply, ""), &[]);
    assert_eq!((run.code().as_str(), run.status), ("own_code", Some(2)));
    assert!(run.stderr.contains("\\u00e9"), "{}", run.stderr);
}

#[test]
fn a_module_cannot_forge_the_status_of_the_command() {
    let place = TestFolder::new();
    let reporting = |code: &str| {
        let reply = format!(r#"{{"error":{{"code":"{code}","message":"m","path":""}}}}"#);
        evaluate(&place, &replying(&reply, ""), &[])
    };
    for code in ["wrong_usage", "unwritable_output", "trap", "engine_load", "module_trap", "host_fault"] {
        let run = reporting(code);
        assert_eq!((run.code().as_str(), run.status), ("module_malformed_reply", Some(3)), "{code}");
    }
    for (code, status) in [("invalid_value", 2), ("unreadable_input", 2), ("unsupported_operation", 3)] {
        let run = reporting(code);
        assert_eq!((run.code().as_str(), run.status), (code, Some(status)));
    }
}

#[test]
fn a_module_that_needs_more_can_be_inspected_and_given_more() {
    let place = TestFolder::new();
    let needs = MANIFEST.replace(r#""x-home":"tests""#, r#""limits":{"fuel":2000000000}"#);
    let module = place.file("module.wasm", replying_with(&needs, &good_reply(), ""));
    assert_eq!(place.run(&["inspect", &module]).status, Some(0));
    let envelope = place.file("envelope.json", ENVELOPE);
    let run = place.run(&["evaluate", &envelope, "--module", &module]);
    assert_eq!((run.code().as_str(), run.status), ("module_needs", Some(3)));
    assert!(run.stderr.contains("`--fuel`"), "{}", run.stderr);
    let run = place.run(&["evaluate", &envelope, "--module", &module, "--fuel", "2000000000"]);
    assert_eq!((run.status, run.stdout), (Some(0), format!("{}\n", answer(ENVELOPE))));
}

#[test]
fn an_answer_over_several_lines_is_one_line_of_ndjson() {
    let place = TestFolder::new();
    let spread = answer(ENVELOPE).replace(',', ",\n\t");
    let module = place.file("module.wasm", replying(&format!("{{\"ok\":{spread}}}"), ""));
    let run = place.run_with(
        &["evaluate", "-", "--ndjson", "--module", &module],
        format!("{ENVELOPE}\n{ENVELOPE}").as_bytes(),
    );
    assert_eq!((run.status, run.stdout), (Some(0), format!("{}\n", answer(ENVELOPE)).repeat(2)));
}

#[test]
fn lines_go_on_after_a_module_failed() {
    let place = TestFolder::new();
    // Traps when the input is longer than the envelope alone.
    let trap = format!("(if (i32.gt_u (local.get 2) (i32.const {})) (then unreachable))", ENVELOPE.len());
    let module = place.file("module.wasm", replying(&format!(r#"{{"ok":{}}}"#, answer(ENVELOPE)), &trap));
    let lines = [ENVELOPE.to_owned(), format!("{ENVELOPE} "), ENVELOPE.to_owned()].join("\n");
    let run = place.run_with(&["evaluate", "-", "--ndjson", "--module", &module], lines.as_bytes());
    let replies: Vec<_> = run.stdout.lines().collect();
    assert_eq!((run.status, replies.len()), (Some(3), 3));
    assert_eq!(
        (replies[0], error_code(replies[1]).as_str(), replies[2]),
        (&*answer(ENVELOPE), "module_trap", &*answer(ENVELOPE))
    );
}

#[test]
fn a_policy_reaches_the_module_joined_with_the_envelope() {
    let place = TestFolder::new();
    let joined = format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY}}}"#).len();
    let check = format!("(if (i32.ne (local.get 2) (i32.const {joined})) (then unreachable))");
    let policy = place.file("policy.json", POLICY);
    let module = replying(&format!(r#"{{"ok":{}}}"#, answer(ENVELOPE)), &check);
    assert_eq!(evaluate(&place, &module, &["--policy", &policy]).status, Some(0));
    assert_eq!(evaluate(&place, &module, &[]).code(), "module_trap");
}

#[test]
fn compiled_modules_are_kept_in_the_cache_directory_if_it_is_usable() {
    let place = TestFolder::new();
    let entries = || fs::read_dir(place.path("cache/adjudicate")).map_or(0, Iterator::count);
    // The module, and the key that it is sealed with.
    for (more, count) in [(&["--no-cache"][..], 0), (&[], 2), (&[], 2)] {
        assert_eq!(evaluate(&place, &good(), more).status, Some(0));
        assert_eq!(entries(), count);
    }
    let file = place.file("no-directory", "");
    for (name, value) in
        [("XDG_CACHE_HOME", file.as_str()), ("XDG_CACHE_HOME", "relative"), ("HOME", "/nonexistent")]
    {
        let args = ["evaluate", "envelope.json", "--module", "module.wasm"];
        let run = place.run_where(&[(name, value.into())], &args, b"");
        assert_eq!(run.status, Some(0), "{name}={value}");
    }
    assert!(!place.path("relative").exists());
}

#[test]
fn inspect_counts_the_tests_that_a_module_brings() {
    let place = TestFolder::new();
    let one = r#"{"name":"a","input":{},"expect":{"error":{"code":"missing_field"}}}"#;
    for (tests, counted, output) in [
        (format!("[{one}]"), r#""tests":1,"#, "tests       1\n"),
        (r#"[{"name":"a"}]"#.to_owned(), r#""tests":null,"#, "malformed at /x-tests/0/input"),
    ] {
        let manifest = MANIFEST.replace(r#""x-home":"tests""#, &format!(r#""x-tests":{tests}"#));
        let module = place.file("module.wasm", replying_with(&manifest, &good_reply(), ""));
        assert!(place.run(&["inspect", &module]).stdout.contains(counted));
        let table = place.run(&["inspect", &module, "--format", "table"]).stdout;
        assert!(table.contains(output), "{table}");
        // `evaluate` does not read signatures.
        let envelope = place.file("envelope.json", ENVELOPE);
        assert_eq!(place.run(&["evaluate", &envelope, "--module", &module]).status, Some(0));
    }
}
